"""The release: version and date, and whether this commit may be released."""

import datetime
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Release:
    version: str
    # Of the commit, so that packing a commit twice gives the same bytes.
    timestamp: int
    commit: str

    @property
    def date(self):
        return datetime.datetime.fromtimestamp(self.timestamp, datetime.timezone.utc).strftime("%Y-%m-%d")


def read():
    manifest = (ROOT / "Cargo.toml").read_text()
    section = manifest.split("[workspace.package]")[1].split("\n[")[0]
    version = re.search(r'^version = "([^"]+)"$', section, re.MULTILINE).group(1)
    commit, timestamp = git("log", "-1", "--format=%H %ct").split()
    return Release(version, int(timestamp), commit)


def problems(release):
    """Why this commit cannot be released, as sentences; none if it can."""
    found = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", release.version):
        found.append(f"the version in Cargo.toml is {release.version!r}, not three numbers")
    found += changelog_problems((ROOT / "CHANGELOG.md").read_text(), release)
    changed = git("status", "--porcelain")
    if changed:
        found.append(f"the working tree differs from the commit:\n{changed}")
    tags = git("tag", "--points-at", "HEAD").split()
    if tags and f"v{release.version}" not in tags:
        found.append(f"the commit is tagged {', '.join(tags)}, but the version is {release.version}")
    return found


def changelog_problems(changelog, release):
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    titles = [section.split("\n", 1)[0].strip() for section in sections]
    if titles and titles[0] == "Unreleased":
        if sections[0].split("\n", 1)[1].strip():
            return [f"CHANGELOG.md has changes under Unreleased; move them to '## {release.version} - {release.date}'"]
        titles = titles[1:]
    newest = re.fullmatch(r"(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})", titles[0]) if titles else None
    if not newest:
        return [f"the newest section of CHANGELOG.md is not '## {release.version} - {release.date}'"]
    version, date = newest.groups()
    if version != release.version:
        return [f"the newest section of CHANGELOG.md is {version}, but Cargo.toml has {release.version}"]
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        return [f"CHANGELOG.md: {date} is not a date"]
    # A release may be committed a day after its date was written down, but not before it.
    if day > datetime.date.fromisoformat(release.date):
        return [f"CHANGELOG.md dates {version} {date}, after its commit of {release.date}"]
    return []


def notes(changelog, version):
    """The section of CHANGELOG.md about a version; about what is unreleased if it has no section of its own."""
    sections = dict(section.split("\n", 1) for section in re.split(r"^## ", changelog + "\n", flags=re.MULTILINE)[1:])
    titles = [title for title in sections if title.split(" - ")[0] == version] or ["Unreleased"]
    return sections.get(titles[0], "").strip() + "\n"


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
