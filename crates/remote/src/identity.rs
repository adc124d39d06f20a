//! The credentials and the region of signatures.

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4AuthScheme};
use aws_runtime::auth::{SigV4OperationSigningConfig, SigningOptions};
use aws_smithy_runtime::client::identity::IdentityCache;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::auth::{
    AuthSchemeOptionResolverParams, SharedAuthScheme, SharedAuthSchemeOptionResolver,
};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::identity::SharedIdentityResolver;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::StaticRuntimePlugin;
use aws_smithy_types::config_bag::Layer;
use aws_types::SigningName;
use aws_types::region::SigningRegion;

use crate::settings::{Credentials, Settings};

/// The default of most tools.
const REGION: &str = "us-east-1";

/// The parts that the SDK needs to sign requests for a service. Without credentials, the first request fails and names them.
pub(crate) async fn signing(
    service: &'static str,
    settings: &Settings,
    http: &SharedHttpClient,
) -> StaticRuntimePlugin {
    let (region, provider) = match &settings.credentials {
        Credentials::Given { access_key_id, secret_access_key } => {
            let given = given(access_key_id, secret_access_key);
            (None, Some(SharedCredentialsProvider::new(given)))
        }
        Credentials::FromEnvironment => found(http, settings.known_region()).await,
    };
    let region = settings.known_region().map(Region::new).or(region);
    plugin(service, region, provider)
}

/// The region that the environment names, and the credentials that are found there.
pub(crate) async fn found(
    http: &SharedHttpClient,
    region: Option<String>,
) -> (Option<Region>, Option<SharedCredentialsProvider>) {
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http.clone());
    if let Some(region) = region {
        loader = loader.region(Region::new(region));
    }
    let found = loader.load().await;
    (found.region().cloned(), found.credentials_provider())
}

/// The parts that the SDK needs to sign requests for a service in a region.
pub(crate) fn plugin(
    service: &'static str,
    region: Option<Region>,
    provider: Option<SharedCredentialsProvider>,
) -> StaticRuntimePlugin {
    let mut layer = Layer::new("signing");
    layer.store_put(SigV4OperationSigningConfig {
        region: Some(SigningRegion::from(region.unwrap_or(Region::from_static(REGION)))),
        region_set: None,
        name: Some(SigningName::from_static(service)),
        signing_options: SigningOptions::default(),
    });
    layer.store_put(AuthSchemeOptionResolverParams::new(()));
    let schemes = StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID]);
    let mut components = RuntimeComponentsBuilder::new("signing")
        .with_auth_scheme_option_resolver(Some(SharedAuthSchemeOptionResolver::new(schemes)))
        .with_auth_scheme(SharedAuthScheme::new(SigV4AuthScheme::new()))
        .with_identity_cache(Some(IdentityCache::lazy().build()));
    if let Some(provider) = provider {
        components = components.with_identity_resolver(SCHEME_ID, SharedIdentityResolver::new(provider));
    }
    StaticRuntimePlugin::new().with_config(layer.freeze()).with_runtime_components(components)
}

fn given(access_key_id: &str, secret_access_key: &str) -> aws_credential_types::Credentials {
    aws_credential_types::Credentials::new(access_key_id, secret_access_key, None, None, "settings")
}
