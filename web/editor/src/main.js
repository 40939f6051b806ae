// The editor of the page: CodeMirror, bundled into one file.
import { EditorView } from "@codemirror/view";

export { EditorView };
