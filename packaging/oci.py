"""`sortkey-VERSION-oci.tar`: an OCI image layout of one layer, which skopeo, podman and containerd read.

The image has the binary, a user and a directory for data, and no root certificates: to run a design on AWS from it, mount the
certificates of the host at /etc/ssl/certs.
"""

import datetime
import hashlib
import json

from archives import Tree, compressed, write
from payload import REPOSITORY, SUMMARY

USER = 65532


def pack(payload, out):
    release = payload.release
    layer = root_filesystem(payload).tar(release.timestamp)
    packed = compressed(layer, payload.compression)
    created = datetime.datetime.fromtimestamp(release.timestamp, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = document({
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Entrypoint": ["/usr/bin/sortkey"],
            "Cmd": ["--help"],
            "WorkingDir": "/data",
            "Volumes": {"/data": {}},
            "ExposedPorts": {"8000/tcp": {}},
            "Labels": labels(release),
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        "history": [{"created": created, "created_by": "release.sh"}],
    })
    manifest = document({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", config),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
    })
    entry = descriptor("application/vnd.oci.image.manifest.v1+json", manifest)
    entry["platform"] = {"architecture": "amd64", "os": "linux"}
    entry["annotations"] = {"org.opencontainers.image.ref.name": release.version}
    layout = Tree()
    layout.file("oci-layout", document({"imageLayoutVersion": "1.0.0"}))
    layout.file("index.json", document({"schemaVersion": 2, "manifests": [entry]}))
    for blob in [packed, config, manifest]:
        layout.file("blobs/" + digest(blob).replace(":", "/"), blob)
    return [write(out / f"sortkey-{release.version}-oci.tar", layout.tar(release.timestamp))]


def root_filesystem(payload):
    tree = Tree()
    tree.file("usr/bin/sortkey", payload.executable, executable=True)
    tree.file("etc/passwd", f"sortkey:x:{USER}:{USER}::/data:/sbin/nologin\n".encode())
    tree.file("etc/group", f"sortkey:x:{USER}:\n".encode())
    for name in ["LICENSE", "NOTICE"]:
        tree.file(f"usr/share/doc/sortkey/{name}", payload.document(name))
    tree.directory("data", mode=0o700, owner=USER)
    tree.directory("tmp", mode=0o1777)
    return tree


def labels(release):
    return {
        "org.opencontainers.image.title": "sortkey",
        "org.opencontainers.image.description": SUMMARY,
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.revision": release.commit,
        "org.opencontainers.image.source": REPOSITORY,
        "org.opencontainers.image.licenses": "Apache-2.0",
    }


def document(value):
    return json.dumps(value, indent=2).encode()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def descriptor(media_type, data):
    return {"mediaType": media_type, "digest": digest(data), "size": len(data)}
