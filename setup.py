"""Names the packages of the wheel. It has templates/ and static/, which lie at the top here, inside evalsite."""

from setuptools import find_packages, setup

TOP_LEVEL_FOLDERS = {"evalsite.templates": "templates", "evalsite.static": "static"}

setup(
    packages=[*find_packages(include=["evalsite*", "judging*", "rankings*"]), *TOP_LEVEL_FOLDERS],
    package_dir=TOP_LEVEL_FOLDERS,
    package_data={
        "judging": ["prompting/prompts/*.json", "demo/*.jsonl", "demo/judge/*"],
        **{package: ["**/*"] for package in TOP_LEVEL_FOLDERS},
    },
)
