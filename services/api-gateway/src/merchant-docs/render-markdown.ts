import { Marked, type Tokens } from "marked";
import { escapeHtml, Html } from "@holdfast/html";
import { renderTable } from "./render-table.ts";

/**
 * Renders our own Markdown as HTML. The Markdown can contain no HTML, so text never becomes markup; a comment
 * is dropped. Links between guides lose their `.md`; other links must use https or stay within the documents.
 *
 * @throws Error on HTML, on a picture and on a link that leads elsewhere
 */
export function renderMarkdown(markdown: string): Html {
  return new Html(renderer.parse(markdown, { async: false }));
}

/** The id of a heading, as git hosts make it. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

const renderer = new Marked({
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      if (isComment(text.trim())) return "";
      throw new Error(`a guide contains HTML: ${text}`);
    },
    image({ href }: Tokens.Image): string {
      throw new Error(`a guide contains a picture: ${href}`);
    },
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${escapeHtml(slugOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link): string {
      return `<a href="${escapeHtml(addressOf(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    // `tabindex` lets a reader without a mouse scroll a block that is wider than the screen.
    code({ text }: Tokens.Code): string {
      return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
    },
    table({ header, rows }: Tokens.Table): string {
      const inline = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens));
      const headings = header.map((cell) => ({ shown: inline(cell), label: cell.text.replaceAll("`", "") }));
      return `${
        renderTable(
          headings,
          rows.map((row) => row.map(inline)),
        ).text
      }\n`;
    },
  },
});

function isComment(text: string): boolean {
  return text.startsWith("<!--") && text.indexOf("-->") === text.length - "-->".length;
}

function addressOf(href: string): string {
  if (/^https:\/\/|^#[a-z0-9-]+$/.test(href)) return href;
  const guide = /^([a-z0-9-]+)\.md(#[a-z0-9-]+)?$/.exec(href);
  if (guide) return `${guide[1]}${guide[2] ?? ""}`;
  throw new Error(`a guide links to ${href}, which is not served`);
}
