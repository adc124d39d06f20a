"""An object store in a directory.

    store.py PORT DIRECTORY

POST /putObject     {key, body} -> {location, bytes}: an object is replaced as a whole.
POST /deleteObjects {prefix} -> {objects}: how many there were; a prefix that ends with a slash is a folder.
GET  /objects/{key} answers an object.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from service import serve


class Store:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)

    def place(self, key):
        """The file of a key, which never leaves the directory."""
        place = (self.folder / key.replace(":", "_")).resolve()
        if self.folder not in place.parents:
            raise ValueError(f"{key!r} is outside of the store")
        return place

    def put(self, key, body):
        place = self.place(key)
        place.parent.mkdir(parents=True, exist_ok=True)
        content = body.encode()
        handle, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, place)
        return {"location": f"s3://backup/{key}", "bytes": len(content)}

    def delete(self, prefix):
        folder = self.place(prefix.rstrip("/"))
        objects = [each for each in folder.rglob("*") if each.is_file()] if folder.is_dir() else []
        for each in objects:
            each.unlink()
        return {"objects": len(objects)}

    def answer(self, method, path, query, headers, body):
        if (method, path) == ("POST", "/putObject"):
            return 200, {}, self.put(**json.loads(body))
        if (method, path) == ("POST", "/deleteObjects"):
            return 200, {}, self.delete(**json.loads(body))
        if method == "GET" and path.startswith("/objects/"):
            place = self.place(path.removeprefix("/objects/"))
            return (200, {}, json.loads(place.read_text())) if place.is_file() else (404, {}, {"error": "no such object"})
        return 404, {}, {"error": "there is nothing here"}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    serve("the store", int(sys.argv[1]), Store(sys.argv[2]).answer)
