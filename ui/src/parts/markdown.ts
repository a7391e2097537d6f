/** Markdown to a harmless piece of the page. */
import createPurifier from "dompurify";
import { Marked } from "marked";

const marked = new Marked({ gfm: true, breaks: true, async: false });
const purifier = createPurifier(window);

const TAGS = [
  ..."p br strong em del code pre blockquote ul ol li hr a".split(" "),
  ..."h1 h2 h3 h4 h5 h6 table thead tbody tr th td".split(" "),
];
const LINKS = /^(?:https?|mailto):/i;

purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A") return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

/** No images, styles, ids or classes, and links to the web and to mail only. */
export function renderMarkdown(source: string): DocumentFragment {
  return purifier.sanitize(marked.parse(escapeHtml(source), { async: false }), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start", "align"],
    ALLOWED_URI_REGEXP: LINKS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** HTML in a message is shown as it was written, not applied: agents quote code, and hide nothing this way. */
function escapeHtml(source: string): string {
  return source.replaceAll("<", "&lt;");
}
