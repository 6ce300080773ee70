import { html, type Html } from "@holdfast/html";

/** A place in the navigation. `name` is the last part of its address. */
export type NavigationEntry = { name: string; title: string };

/** The document around a guide. Every address in it is relative, so that it works under any path of a proxy. */
export function renderDocument(
  content: Html,
  { name, title }: NavigationEntry,
  { entries, styleHref }: { entries: readonly NavigationEntry[]; styleHref: string },
): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Holdfast</title>
        <link rel="stylesheet" href="${styleHref}" />
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
                ${entries.map(
                  (entry) =>
                    html`<li>
                      <a href="${entry.name}" ${entry.name === name && html`aria-current="page"`}
                        >${entry.title}</a
                      >
                    </li>`,
                )}
              </ul>
            </nav>
            <main id="content">${content}</main>
          </div>
        </div>
      </body>
    </html>`.text
  }\n`;
}
