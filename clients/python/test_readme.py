"""The Python of the README runs as it is shown."""

import re

from conftest import ROOT


def test_python_of_the_readme(endpoint, capsys):
    """Only the address differs: the README uses port 8000."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        assert "http://127.0.0.1:8000" in block
        exec(compile(block.replace("http://127.0.0.1:8000", endpoint), "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("[")
