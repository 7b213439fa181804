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


def test_all_has_its_documentation_at_run_time_too():
    def compare(thing, node, name):
        assert words(inspect.getdoc(thing)) == words(ast.get_docstring(node)) != [], name

    assert words(granero.__doc__)
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            continue
        thing = getattr(granero, node.name)
        compare(thing, node, node.name)
        # Of overloads, the last has the documentation.
        for name, member in {member.name: member for member in node.body if isinstance(member, ast.FunctionDef)}.items():
            if not name.startswith("_"):
                compare(getattr(thing, name), member, f"{node.name}.{name}")


def test_the_stubs_and_the_module_agree():
    assert (PACKAGE / "py.typed").exists()
    stubs = ast.parse((PACKAGE / "__init__.pyi").read_text())
    typed = {}
    for node in stubs.body:
        if isinstance(node, ast.ClassDef):
            typed[node.name] = {
                member.name: member for member in node.body if isinstance(member, ast.FunctionDef)
            }
        elif isinstance(node, ast.FunctionDef):
            typed[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            typed[node.target.id] = node
    public = {name for name in dir(granero) if not name.startswith("_")}
    assert public - {"granero"} == set(typed) - {"__version__"}
    for name, node in typed.items():
        thing = getattr(granero, name)
        if isinstance(node, ast.FunctionDef):
            assert_same_parameters(thing, node)
        elif isinstance(node, dict):
            assert thing.__doc__, name
            members = {member for member in vars(thing) if not member.startswith("_")}
            assert members == {member for member in node if not member.startswith("_")}, name
            for member, stub in node.items():
                found = getattr(thing, member)
                decorators = {ast.unparse(decorator) for decorator in stub.decorator_list}
                assert ("property" in decorators) == (not callable(found)), member
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
