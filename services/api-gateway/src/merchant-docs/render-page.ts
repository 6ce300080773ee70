import { html, type Html } from "@holdfast/html";

/** A place in the navigation. `name` is the last part of its address. */
export type NavigationEntry = {
  name: string;
  title: string;
  /** The operations of a page of the reference, by their ids. */
  operations?: { id: string; title: string }[];
};

/** The document around a page. Every address in it is relative, so that it works under any path of a proxy. */
export function renderPage(
  content: Html,
  { name, title }: NavigationEntry,
  entries: readonly NavigationEntry[],
): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Holdfast</title>
        <link rel="stylesheet" href="docs.css" />
        <script src="docs.js" defer></script>
      </head>
      <body>
        <div class="frame">
          <a class="skip" href="#content">Skip to the text</a>
          <header class="top">
            <span class="monogram" aria-hidden="true">H</span>Holdfast for merchants
          </header>
          <div class="columns">
            <nav aria-label="Guides">
              <ul>
                ${entries.map((entry) => renderEntry(entry, entry.name === name))}
              </ul>
            </nav>
            <main id="content">
              ${content}
              <p class="quiet end"><a href="${name}.md">This page as Markdown</a></p>
            </main>
          </div>
        </div>
      </body>
    </html>`.text
  }\n`;
}

/** The operations of the page that is open stand below it. */
function renderEntry({ name, title, operations = [] }: NavigationEntry, isOpen: boolean): Html {
  return html`<li>
    <a href="${name}" ${isOpen && html`aria-current="page"`}>${title}</a>
    ${
      isOpen &&
      operations.length > 0 &&
      html`<ul>
        ${operations.map((operation) => html`<li><a href="#${operation.id}">${operation.title}</a></li>`)}
      </ul>`
    }
  </li>`;
}
