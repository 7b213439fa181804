"""The stubs have the names of the module, with the same parameters; the README is right."""

import ast
import doctest
import inspect
import pathlib
import re

import granero

PACKAGE = pathlib.Path(granero.__file__).parent


def words(documentation):
    return (documentation or "").split()


def members(node):
    """The members of a module or class in the stubs, each with its documentation; of overloads the last."""
    found = {}
    for member, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(member, (ast.ClassDef, ast.FunctionDef)):
            found[member.name] = member, ast.get_docstring(member)
        elif isinstance(member, ast.AnnAssign):
            found[member.target.id] = member, after.value.value
    return found


STUBS = members(ast.parse((PACKAGE / "__init__.pyi").read_text()))


def test_all_has_its_documentation_at_run_time_too():
    def compare(thing, documentation, name):
        assert words(inspect.getdoc(thing)) == words(documentation) != [], name

    assert words(granero.__doc__)
    for name, (node, documentation) in STUBS.items():
        if isinstance(node, ast.AnnAssign):
            continue
        thing = getattr(granero, name)
        compare(thing, documentation, name)
        for member, (_, documentation) in members(node).items() if isinstance(node, ast.ClassDef) else []:
            if not member.startswith("_"):
                # An attribute is a property of the class.
                compare(getattr(thing, member), documentation, f"{name}.{member}")


def test_the_stubs_and_the_module_agree():
    assert (PACKAGE / "py.typed").exists()
    public = {name for name in dir(granero) if not name.startswith("_")}
    assert public - {"granero"} == set(STUBS) - {"__version__"}
    for name, (node, _) in STUBS.items():
        thing = getattr(granero, name)
        if isinstance(node, ast.FunctionDef):
            assert_same_parameters(thing, node)
        elif isinstance(node, ast.ClassDef):
            typed = members(node)
            public = {member for member in vars(thing) if not member.startswith("_")}
            assert public == {member for member in typed if not member.startswith("_")}, name
            for member, (stub, _) in typed.items():
                found = getattr(thing, member)
                assert isinstance(stub, ast.FunctionDef) == callable(found), member
                if callable(found) and not member.startswith("_"):
                    assert_same_parameters(found, stub)


def assert_same_parameters(function, stub):
    names = [argument.arg for argument in stub.args.args + stub.args.kwonlyargs]
    found = list(inspect.signature(function).parameters)
    assert [name for name in names if name != "self"] == [
        name for name in found if name != "self"
    ], stub.name


def test_the_examples_of_the_stubs():
    stubs = (PACKAGE / "__init__.pyi").read_text()
    stubs = stubs.replace('"""', "\n")
    examples = doctest.DocTestParser().get_doctest(stubs, vars(granero).copy(), "stubs", None, 0)
    assert len(examples.examples) == 3
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_readme(capsys):
    readme = pathlib.Path(__file__).parents[1] / "README.md"
    text = readme.read_text()
    names = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(code, names)
    capsys.readouterr()
    first = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    exec(first[1], {})
    assert capsys.readouterr().out == first[2]
