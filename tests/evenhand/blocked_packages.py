"""The start of a program in which no package but numpy and scipy can be imported."""

BLOCKED = """
import importlib.abc
import json
import sys
from importlib.metadata import packages_distributions

kept = {"numpy", "scipy", "evenhand"}
blocked = {module for module, packages in packages_distributions().items() if not kept & {*packages}}
blocked -= {*sys.stdlib_module_names}
before = {*sys.modules}


class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"blocked: {name}", name=name)


sys.meta_path.insert(0, Refuse())
"""
