# Sourced by bin/demo and bin/test: makes the virtual environment in .venv, once per set of requirements.

find_python() {
    for python in python3 python3.13 python3.12 python3.11; do
        if command -v "$python" >/dev/null && "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    echo "Python 3.11 or newer with venv is missing; on Debian or Ubuntu: apt-get install python3 python3-venv" >&2
    return 1
}

# install NAME…: installs requirements/NAME.txt of each, and this project itself, with its documentation in site/.
# Python compiles what it loads: to compile every file of every package takes half of the time.
install() {
    stamp=".venv/.installed-$(echo "$*" | tr ' ' '-')"
    wanted=$(cat pyproject.toml setup.py mkdocs.yml evalsite/command_list.py $(find docs rankings -type f ! -name '*.pyc' \( -path 'docs/*' -o -name '*_page.py' \) | sort) $(printf 'requirements/%s.txt ' "$@") | sha256sum)
    if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    python=$(find_python)
    [ -x .venv/bin/python ] || { echo "Making a virtual environment in .venv …" >&2; "$python" -m venv .venv; }
    case " $* " in *" judge "*)
        # torch first, alone and pinned: asked for by another package it may come as several GB of another build
        torch=$(grep '^torch==' requirements/judge.txt)
        echo "Installing $torch …" >&2
        .venv/bin/pip install --quiet --no-compile ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} "$torch" ;;
    esac
    echo "Installing packages …" >&2
    .venv/bin/pip install --quiet --no-compile $(printf -- '-r requirements/%s.txt ' "$@")
    # What builds the documentation is among the packages of the tests
    case " $* " in *" test "*) isolation=--no-build-isolation ;; *) isolation= ;; esac
    .venv/bin/pip install --quiet --no-deps $isolation --editable .
    echo "$wanted" >"$stamp"
}
