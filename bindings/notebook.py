"""Runs docs/layers.ipynb: each cell without an error, and a figure wherever one is plotted."""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

NOTEBOOK = pathlib.Path(__file__).resolve().parents[1] / "docs/layers.ipynb"


def main():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    resources = {"metadata": {"path": sys.argv[1]}}
    NotebookClient(notebook, timeout=None, resources=resources).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        images = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        assert len(images) == cell.source.count("plt.figure("), cell.source
    print(f"docs/layers.ipynb: {len(cells)} cells run")


if __name__ == "__main__":
    main()
