"""A session with the language server, by pygls' client: a file is opened, understood, fixed and closed."""

import asyncio
import pathlib
import sys
import tempfile

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PROGRAM = """\
void add(global int *to, int by) { *to += by; }
kernel void k(int *to) { add(to, 1); }
"""


async def main(server: str) -> None:
    folder = pathlib.Path(tempfile.mkdtemp())
    uri = (folder / "k.cl").as_uri()
    told: asyncio.Queue = asyncio.Queue()
    client = LanguageClient("session", "1")

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def diagnostics(parameters: types.PublishDiagnosticsParams) -> None:
        told.put_nowait(parameters)

    async def found() -> list[types.Diagnostic]:
        return list((await asyncio.wait_for(told.get(), 20)).diagnostics)

    def change(text: str, version: int) -> None:
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
                content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )

    await client.start_io(server, "--lsp")
    started = await client.initialize_async(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            root_uri=folder.as_uri(),
            initialization_options={"std": "CL1.2"},
        )
    )
    assert started.capabilities.hover_provider and started.capabilities.definition_provider, started
    client.initialized(types.InitializedParams())

    # Opened: the mistake is told where it is.
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(uri=uri, language_id="opencl", version=1, text=PROGRAM)
        )
    )
    wrong = await found()
    assert [one.code for one in wrong] == ["parameter/kernel-pointee", "conversion/implicit"], wrong
    assert wrong[0].range.start == types.Position(1, 19), wrong[0]
    assert wrong[0].code_description.href.startswith("https://registry.khronos.org/"), wrong[0]

    # The name in the call is understood.
    document = types.TextDocumentIdentifier(uri=uri)
    at = types.Position(line=1, character=29)
    hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=at))
    assert "points to `private`, because nothing is written" in hover.contents.value, hover
    assert "#addr-spaces-inference" in hover.contents.value, hover
    called = types.Position(line=1, character=26)
    place = await client.text_document_definition_async(
        types.DefinitionParams(text_document=document, position=called)
    )
    assert (place.uri, place.range.start) == (uri, types.Position(0, 5)), place

    # Fixed by the quick fix, as an editor applies it.
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document,
            range=wrong[0].range,
            context=types.CodeActionContext(diagnostics=[wrong[0]]),
        )
    )
    assert [action.kind for action in actions] == [types.CodeActionKind.QuickFix], actions
    (change_of_file,) = actions[0].edit.document_changes
    assert change_of_file.text_document.version == 1, change_of_file
    lines = PROGRAM.splitlines(keepends=True)
    for edit in change_of_file.edits:
        line = lines[edit.range.start.line]
        lines[edit.range.start.line] = (
            line[: edit.range.start.character] + edit.new_text + line[edit.range.end.character :]
        )
    fixed = "".join(lines)
    assert "kernel void k(global int *to)" in fixed, fixed
    change(fixed, 2)
    assert await found() == []

    # A fix of many edits: the kernel declares the array and passes it.
    lost = "void f(global int *o) { local int t[4]; t[0] = *o; }\nkernel void k(global int *o) { f(o); }\n"
    change(lost, 3)
    (found_now,) = await found()
    assert found_now.code == "declaration/local-outside-kernel", found_now
    (action,) = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document,
            range=found_now.range,
            context=types.CodeActionContext(diagnostics=[found_now]),
        )
    )
    assert action.title == "declare `t` in each kernel that calls this, and pass it", action
    (change_of_file,) = action.edit.document_changes
    lines = lost.splitlines(keepends=True)
    for edit in sorted(change_of_file.edits, key=lambda edit: edit.range.start.character, reverse=True):
        line = lines[edit.range.start.line]
        lines[edit.range.start.line] = (
            line[: edit.range.start.character] + edit.new_text + line[edit.range.end.character :]
        )
    assert "kernel void k(global int *o) { local int t[4]; f(o, t); }\n" == lines[1], lines
    change("".join(lines), 4)
    assert await found() == []

    # Half a line, as one types.
    change(fixed + "kernel void half(", 5)
    assert len(await found()) == 1

    # The file of the folder decides before the option, and is read strictly.
    settings = folder / ".opencl-c.toml"
    settings.write_text('std = "CL2.0"\n')
    generic = "void f(int *p) {}\nkernel void k(global int *p) { f(p); }\n"
    change(generic, 6)
    assert await found() == []
    settings.write_text('sdt = "CL2.0"\n')
    change(generic, 7)
    (said,) = await found()
    assert "unknown field `sdt`" in said.message, said

    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))
    assert await found() == []
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.wait_for(client.stop(), 20)
    print("language server: opened, understood, fixed, closed")


asyncio.run(main(sys.argv[1]))
