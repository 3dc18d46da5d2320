"""The accessibility tree that Chromium gives to screen readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

RawNode = Mapping[str, Any]
RawNodes = Mapping[str, RawNode]
CONTROLS = {"button", "link", "checkbox", "radio", "textbox", "combobox", "slider", "progressbar", "DisclosureTriangle"}


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the tree, as a screen reader announces it.

    text: all text inside the node. states: properties such as `pressed`, `level` and `focused`.
    """

    role: str
    name: str
    text: str
    states: Mapping[str, Any]


def read_tree(page: Page) -> list[Node]:
    """Return the nodes of a page in reading order, without those that screen readers pass over."""
    session = page.context.new_cdp_session(page)
    nodes = {node["nodeId"]: node for node in session.send("Accessibility.getFullAXTree")["nodes"]}
    session.detach()
    root = next(node for node in nodes.values() if "parentId" not in node)
    return [_node(raw, nodes) for raw in _with_descendants(root, nodes) if not raw["ignored"]]


def _with_descendants(raw: RawNode, nodes: RawNodes) -> list[RawNode]:
    children = [nodes[key] for key in raw.get("childIds", []) if key in nodes]
    return [raw, *(node for child in children for node in _with_descendants(child, nodes))]


def _node(raw: RawNode, nodes: RawNodes) -> Node:
    states = {one["name"]: one["value"].get("value") for one in raw.get("properties", [])}
    within = _with_descendants(raw, nodes)
    text = " ".join(_name(node) for node in within if not node["ignored"] and node["role"]["value"] == "StaticText")
    return Node(raw["role"]["value"], _name(raw), text, states)


def _name(raw: RawNode) -> str:
    return str(raw.get("name", {}).get("value", "")).strip()


def with_role(nodes: list[Node], role: str) -> list[Node]:
    return [node for node in nodes if node.role == role]


def names_of(nodes: list[Node], role: str) -> list[str]:
    return [node.name for node in with_role(nodes, role)]


def named(nodes: list[Node], role: str, name: str) -> Node:
    """Return the only node of a role with this name."""
    (node,) = [node for node in with_role(nodes, role) if node.name == name]
    return node


def focused(nodes: list[Node]) -> Node:
    """Return the node that has the focus. The page itself, which always claims it, comes last."""
    return next(node for node in reversed(nodes) if node.states.get("focused"))


def faults_for_screen_readers(nodes: list[Node]) -> list[str]:
    """Return controls without a name, controls that share one, and headings out of order."""
    controls = [node for node in nodes if node.role in CONTROLS]
    unnamed = [f"a {node.role} has no name" for node in controls if not node.name]
    shared = Counter((node.role, node.name) for node in with_role(controls, "button"))
    repeated = [f"{number} of role {role} are named {name!r}" for (role, name), number in shared.items() if number > 1]
    return unnamed + repeated + _heading_faults(nodes)


def _heading_faults(nodes: list[Node]) -> list[str]:
    headings = with_role(nodes, "heading")
    levels = [0, *(node.states["level"] for node in headings)]
    skipped = [node.name for before, node in zip(levels, headings, strict=False) if node.states["level"] > before + 1]
    titles = levels.count(1)
    return [f"heading {name!r} skips a level" for name in skipped] + [f"{titles} headings of level 1"] * (titles != 1)
