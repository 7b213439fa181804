"""Runs docs/layers.ipynb: each cell without an error, and with the output that the notebook has. Figures depend on
their library, so one must be where one is plotted.

    bindings/notebook.py PLACE              PLACE is a directory to run it in
    bindings/notebook.py PLACE --write      writes the new output into the notebook
"""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

NOTEBOOK = pathlib.Path(__file__).resolve().parents[1] / "docs/layers.ipynb"


def outputs(cell):
    """The texts of a cell, and the number of its figures."""
    texts = [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
    images = [output for output in cell.outputs if "image/png" in output.get("data", {})]
    return texts, len(images)


def main():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    stored = [outputs(cell) for cell in cells]
    resources = {"metadata": {"path": sys.argv[1]}}
    client = NotebookClient(notebook, timeout=None, resources=resources, record_timing=False)
    client.execute()
    if sys.argv[2:] == ["--write"]:
        notebook.metadata.language_info = {"name": "python"}
        nbformat.write(notebook, NOTEBOOK)
        stored = [outputs(cell) for cell in cells]
    for cell, expected in zip(cells, stored):
        assert outputs(cell) == expected, f"{cell.source}\nprinted {outputs(cell)}"
        assert expected[1] == cell.source.count("plt.figure("), cell.source
    print(f"docs/layers.ipynb: {len(cells)} cells run, with the output that it has")


if __name__ == "__main__":
    main()
