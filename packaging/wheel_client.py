"""`sortkey` for Python: a wheel with the core and the engine as an extension module, which generated clients run on.

One wheel serves every Python from 3.10 on, since the module uses the stable interface of CPython. It is linked to the C library
of Linux distributions; its tag names the oldest version of that which has all it needs.
"""

import re

import build
from project import ROOT
from wheel import write_wheel

SOURCE = ROOT / "crates/python"


def pack(payload, out):
    library = payload.extension or build.extension_module()
    data = library.read_bytes()
    files = {
        f"sortkey/{file.name}": file.read_bytes()
        for file in sorted((SOURCE / "python/sortkey").iterdir())
        if file.suffix in (".py", ".pyi", ".typed") or file.name == "py.typed"
    }
    files["sortkey/_native.abi3.so"] = data
    project = (SOURCE / "pyproject.toml").read_text()
    files[f"sortkey-{payload.release.version}.dist-info/entry_points.txt"] = entry_points(project)
    return [write_wheel(payload, out, "sortkey", f"cp310-abi3-{platform(data)}", files, metadata(payload, project))]


def platform(library):
    """The oldest glibc that has every function the library asks for."""
    needed = max((tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)), default=(2, 17))
    major, minor = max(needed, (2, 17))
    return f"manylinux_{major}_{minor}_x86_64"


def entry_points(project):
    plugin = re.search(r'\[project\.entry-points\.(\w+)\]\n(\w+) = "([^"]+)"', project)
    return f"[{plugin[1]}]\n{plugin[2]} = {plugin[3]}\n".encode()


def metadata(payload, project):
    """The metadata of pyproject.toml, in the form of a wheel."""
    described = re.search(r'^description = "([^"]+)"', project, re.MULTILINE)[1]
    needs = re.search(r'^requires-python = "([^"]+)"', project, re.MULTILINE)[1]
    classifiers = re.findall(r'"([^"]+ :: [^"]+)"', project)
    extras = project.split("[project.optional-dependencies]")[1].split("\n[")[0]
    lines = [
        "Metadata-Version: 2.4",
        "Name: sortkey",
        f"Version: {payload.release.version}",
        f"Summary: {described}",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "License-File: NOTICE",
        f"Requires-Python: {needs}",
        *(f"Classifier: {each}" for each in classifiers),
    ]
    for extra, requirement in re.findall(r'^(\w+) = \["([^"]+)"\]', extras, re.MULTILINE):
        lines += [f"Provides-Extra: {extra}", f'Requires-Dist: {requirement}; extra == "{extra}"']
    readme = (SOURCE / "README.md").read_text()
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme]).encode()
