"""Archives whose bytes depend on their contents only: fixed order, owner and time."""

import gzip
import io
import tarfile


class Tree:
    """Files and directories to pack, by path."""

    def __init__(self):
        self.entries = {}

    def file(self, path, contents, executable=False):
        self.directories_above(path)
        self.entries[path] = (contents, 0o755 if executable else 0o644, 0)

    def directory(self, path, mode=0o755, owner=0):
        self.directories_above(path)
        self.entries[path] = (None, mode, owner)

    def directories_above(self, path):
        above = path.rpartition("/")[0]
        if above and above not in self.entries:
            self.directory(above)

    def tar(self, timestamp, prefix=""):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path, (contents, mode, owner) in sorted(self.entries.items()):
                entry = tarfile.TarInfo(prefix + path)
                entry.mode, entry.mtime, entry.uid, entry.gid = mode, timestamp, owner, owner
                if contents is None:
                    entry.type = tarfile.DIRTYPE
                    archive.addfile(entry)
                else:
                    entry.size = len(contents)
                    archive.addfile(entry, io.BytesIO(contents))
        return buffer.getvalue()


def compressed(data, level):
    return gzip.compress(data, level, mtime=0)


def write(path, data):
    path.write_bytes(data)
    return path
