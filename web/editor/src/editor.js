// The SQL editor: CodeMirror 6 with Flink's words. The page's Rust side holds the handle that `create` returns.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { SQLDialect, keywordCompletionSource } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const keywords = `add all alter and any as asc at begin between by case cast changelog_mode check column comment compile
constraint create cross cumulate current current_watermark database day declare default define desc describe descriptor
distinct drop else end enforced escape except execute exists explain extract false fetch filter first following for from
full function functions group grouping having hop hour if in inner insert intersect interval into is join key last lateral
left like limit lead lag match_recognize measures metadata minute month natural not null of offset on only or order
ordinality outer over overwrite partition partitioned plan preceding primary proctime range recursive release reset
respect right rollup cube row rows second select session set sets show similar source_watermark statement symmetric system_time table
tables temporary then time timestampadd timestampdiff to true try_cast tumble unbounded union unique unknown unnest
update using values view views virtual watermark when where window with within year`;

const types = `array bigint binary boolean bytes char date dec decimal double float int integer map multiset numeric
precision raw smallint string timestamp timestamp_ltz tinyint varbinary varchar zone local`;

const functions = `abs avg ceil char_length coalesce concat concat_ws count date_format exp floor from_unixtime greatest
initcap least ln locate log log10 lower lpad max min mod nullif pi position power regexp_extract regexp_replace
repeat replace reverse round rpad sign split_index sqrt substring sum to_date to_timestamp to_timestamp_ltz trim
truncate unix_timestamp upper`;

// Words are wanted with one space between them.
const words = (text) => text.split(/\s+/).join(" ");

const flink = SQLDialect.define({
  keywords: words(keywords),
  types: words(types),
  builtin: words(functions),
  identifierQuotes: "`",
  doubleQuotedStrings: false,
  hashComments: false,
  slashComments: false,
  spaceAfterDashes: false,
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.standard(tags.name), tags.special(tags.name)], color: "var(--code-function)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--mute)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--code-size)", color: "var(--ink)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "8px 0 32px", caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--mute)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 10px 0 12px", minWidth: "34px" },
  ".cm-activeLine": { backgroundColor: "var(--line-here)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--tide)", color: "var(--on-tide)" },
  // The package's own underline is an image in the style sheet, which the content security policy does not let in.
  ".cm-lintRange": { backgroundImage: "none" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--del) 1px", textUnderlineOffset: "3px", backgroundColor: "var(--bad-soft)" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warn) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-info": { textDecoration: "underline dotted var(--tide) 1px", textUnderlineOffset: "3px" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeftWidth: "3px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--del)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--tide)", color: "var(--on-tide)", borderRadius: "5px", padding: "2px 8px" },
});

const allWords = keywordCompletionSource(flink, true);

// parent: element; options: { doc, label, onChange(text), onRun() }
export function create(parent, options) {
  let names = [];
  let offers = [];
  // The columns of a table, also under an alias that the text gives it.
  const columnsOf = (name, text) => {
    const same = (one, other) => one.toLowerCase() === other.toLowerCase();
    const alias = new RegExp(`(\\w+)\\s+(?:AS\\s+)?${name.replace(/\W/g, "\\$&")}\\b`, "gi");
    const tables = [name, ...[...text.matchAll(alias)].map((match) => match[1])];
    return offers.filter((offer) => offer.table && tables.some((table) => same(table, offer.table)));
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.doc,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (options.onRun(), true) }])),
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        closeBrackets(),
        indentUnit.of("  "),
        EditorView.lineWrapping,
        // What is written keeps clear of the word on leaving, at the lower edge.
        EditorView.scrollMargins.of(() => ({ bottom: 32 })),
        flink.language,
        flink.language.data.of({
          // What is offered as a function is not offered as a word as well.
          autocomplete: (context) => {
            const found = allWords(context);
            const functions = new Set(names.filter((name) => name.kind === "function").map((name) => name.name));
            return found && { ...found, options: found.options.filter((word) => !functions.has(word.label)) };
          },
        }),
        flink.language.data.of({
          autocomplete: (context) => {
            const word = context.matchBefore(/[\w$]+/);
            const before = context.state.sliceDoc(0, word ? word.from : context.pos);
            const of = /([\w$]+|`[^`]+`)\.$/.exec(before)?.[1].replaceAll("`", "");
            if (!names.length || (!word && !context.explicit && !of)) return null;
            const options = of ? columnsOf(of, context.state.doc.toString()) : offers;
            return { from: word ? word.from : context.pos, options, validFor: /^[\w$]*$/ };
          },
        }),
        autocompletion({ icons: false }),
        syntaxHighlighting(colours),
        look,
        // Escape, then Tab leaves the editor.
        EditorView.contentAttributes.of({ "aria-label": options.label, "aria-describedby": "editor-keys", spellcheck: "false", tabindex: "0", autocapitalize: "off" }),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  // When a message below takes from the editor's height, the place that is written at stays in view.
  let height = 0;
  const sized = new ResizeObserver(() => {
    const now = view.dom.clientHeight;
    if (now < height && view.hasFocus) {
      requestAnimationFrame(() => view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: "nearest" }) }));
    }
    height = now;
  });
  sized.observe(view.dom);
  let escaped = false;
  view.contentDOM.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") escaped = true;
      else if (event.key === "Tab" && escaped) {
        escaped = false;
        event.stopImmediatePropagation();
      } else if (event.key !== "Shift") escaped = false;
    },
    true,
  );
  return {
    set(text) {
      if (text !== view.state.doc.toString()) {
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: text },
          selection: { anchor: 0 },
          effects: EditorView.scrollIntoView(0, { y: "start" }),
          // A step of its own for Undo, however soon after the typing.
          annotations: isolateHistory.of("full"),
        });
      }
    },
    // problems: [{ from, to, severity, message, fix: null | { from, to, text } }]
    problems(list) {
      const end = view.state.doc.length;
      const within = (place) => Math.max(0, Math.min(place, end));
      view.dispatch(
        setDiagnostics(
          view.state,
          list.map((problem) => ({
            from: within(problem.from),
            to: within(Math.max(problem.to, problem.from)),
            severity: problem.severity,
            message: problem.message,
            actions: problem.fix
              ? [
                  {
                    name: `Replace with ${problem.fix.text}`,
                    apply: (target) =>
                      target.dispatch({
                        changes: { from: within(problem.fix.from), to: within(problem.fix.to), insert: problem.fix.text },
                      }),
                  },
                ]
              : [],
          })),
        ),
      );
    },
    // list: [{ name, kind, detail, table }]
    names(list) {
      names = list;
      const reserved = new Set(keywords.split(/\s+/));
      const quoted = (name) => (/^[A-Za-z_]\w*$/.test(name) && !reserved.has(name.toLowerCase()) ? name : `\`${name}\``);
      offers = list.map(({ name, kind, detail, table }) => ({
        label: name,
        apply: kind === "function" ? `${name}(` : quoted(name),
        type: kind,
        detail: table ? `${detail} · ${table}` : detail,
        table,
        // What the script declares comes before what the language has.
        boost: kind === "column" ? 3 : kind === "table" ? 2 : 0,
      }));
    },
    reveal(from) {
      const place = Math.min(from, view.state.doc.length);
      view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
      view.focus();
    },
    destroy() {
      sized.disconnect();
      view.destroy();
    },
  };
}
