//! A system behind a gateway, without a socket: requests go in, status and JSON come out.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod deployment;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use sortkey_core::{Pending, Runtime, Settings};
use sortkey_deploy::{Naming, deploy};
use sortkey_design::{Design, FileLoader, compile};
use sortkey_embedded::{Embedded, ephemeral};
use sortkey_engine::Engine;
use sortkey_gateway::{Admission, Gateway};
use sortkey_server::hyper::{HeaderMap, Request};
use sortkey_server::{Bytes, Content, Mount};

pub(crate) fn design(system: &str) -> Arc<Design> {
    let path = sortkey_testkit::design_file(system);
    let text = std::fs::read_to_string(&path).expect("the system is there");
    compile(&path.to_string_lossy(), &text, &FileLoader).design
}

/// A runtime on an engine in memory, with the system's tables.
pub(crate) fn runtime(system: &str) -> Runtime {
    runtime_of(design(system))
}

/// A runtime for a design on an engine in memory.
pub(crate) fn runtime_of(design: Arc<Design>) -> Runtime {
    let backend = Embedded::new(Engine::memory(sortkey_engine::Settings::default()));
    let parameters: BTreeMap<String, String> =
        design.parameters.iter().map(|each| (each.name.text.clone(), "test".to_owned())).collect();
    let naming = Naming { prefix: None, parameters: parameters.clone() };
    let pause = |_| Box::pin(std::future::ready(Ok(()))) as Pending<'static, ()>;
    pollster::block_on(deploy(&design, &naming, &backend, &pause, &mut |_| {})).expect("deployed");
    let settings = Settings { parameters, bcrypt_cost: 4, ..ephemeral().expect("randomness") };
    Runtime::new(design, Arc::new(backend), settings).expect("a design that runs")
}

/// The gateway's places, without a server.
pub(crate) struct Api(Vec<Mount>);

/// The answer of a request.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Api {
    pub(crate) fn of(system: &str, admission: Admission) -> Api {
        Api::on(runtime(system), admission)
    }

    pub(crate) fn on(runtime: Runtime, admission: Admission) -> Api {
        Api(Gateway::new(runtime, admission).mounts())
    }

    /// A gateway to a design of the test's own.
    pub(crate) fn of_text(text: &str) -> Api {
        Api::on(Api::runtime_of_text(text), Admission::Open)
    }

    pub(crate) fn of_gateway(gateway: Gateway) -> Api {
        Api(gateway.mounts())
    }

    /// A runtime for a design of the test's own.
    pub(crate) fn runtime_of_text(text: &str) -> Runtime {
        let compilation = compile("design.sk", text, &FileLoader);
        let errors: Vec<&str> = compilation.diagnostics.iter().map(|each| each.title.as_str()).collect();
        assert!(!compilation.has_errors(), "{errors:?}");
        runtime_of(compilation.design)
    }

    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], arguments: &Json) -> Got {
        let headers = [&[("content-type", "application/json")], headers].concat();
        self.send("POST", path, &headers, &arguments.to_string())
    }

    pub(crate) fn get(&self, path: &str, headers: &[(&str, &str)]) -> Got {
        self.send("GET", path, headers, "")
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        let mount = self.0.iter().find(|mount| path.starts_with(mount.prefix)).expect("a mount");
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Bytes::copy_from_slice(body.as_bytes())).expect("a request");
        let (parts, body) = pollster::block_on(mount.handler.handle(request)).into_parts();
        let body = match body {
            Content::Whole(body) => body,
            Content::Pieces(pieces) => pieces.flatten().flatten().collect(),
            // All that has been sent so far.
            Content::Events(mut events) => {
                std::iter::from_fn(|| events.try_recv().ok()?.ok()).flatten().collect()
            }
        };
        Got { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

impl Got {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    /// Status, code, field and detail of a problem.
    pub(crate) fn problem(&self) -> (u16, String, Option<String>, String) {
        assert_eq!(self.headers["content-type"], "application/problem+json", "{self:?}");
        let body = self.json();
        let text = |name: &str| body[name].as_str().map(str::to_owned);
        assert_eq!(body["status"], self.status);
        (self.status, text("code").expect("a code"), text("field"), text("detail").expect("a detail"))
    }
}
