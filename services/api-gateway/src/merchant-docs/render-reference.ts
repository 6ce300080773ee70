import { html, type Html } from "@holdfast/html";
import type { MerchantDocument, Operation } from "./merchant-document.ts";
import {
  ABOUT_EXAMPLES,
  pageOf,
  type CommonAnswers,
  type Group,
  type ShownOperation,
} from "./reference-operations.ts";
import { fieldTable, limitsOf, plainTable, typesIn } from "./render-fields.ts";
import { renderMarkdown, slugOf } from "./render-markdown.ts";
import { LANGUAGES, type Sample } from "./write-samples.ts";

/** The overview: all operations by group, and the answers that all of them have. */
export function renderOverview(
  { info }: MerchantDocument,
  groups: readonly Group[],
  { all, withBody }: CommonAnswers,
): Html {
  const rows = (answers: ReadonlyMap<string, string>, of: string) =>
    [...answers].map(([status, description]) => [
      html`<code>${status}</code>`,
      renderMarkdown(description),
      of,
    ]);
  return html`<h1>Reference</h1>
    ${renderMarkdown(info.description)} ${renderMarkdown(ABOUT_EXAMPLES)}
    <p>The same as OpenAPI 3.1, for programs: <a href="../openapi.json">openapi.json</a>.</p>
    ${groups.map(
      ({ name, description, shown }) =>
        html`<h2 id="${slugOf(name)}"><a href="${pageOf(name)}">${name}</a></h2>
          <p>${description}.</p>
          <ul>
            ${shown.map(
              ({ line, operation: { operationId, summary } }) =>
                html`<li><a href="${pageOf(name)}#${operationId}">${summary}</a> <code>${line}</code></li>`,
            )}
          </ul>`,
    )}
    <h2 id="common-answers">Answers of every operation</h2>
    ${plainTable(
      ["Answer", "Meaning", "Answered by"],
      [...rows(all, "every operation"), ...rows(withBody, "operations with a body")],
    )}`;
}

/** The page of a group; its operations are also in the navigation beside it. */
export function renderGroup({ name, description, shown }: Group): Html {
  return html`<h1>${name}</h1>
    <p>${description}.</p>
    <div class="languages" role="radiogroup" aria-label="Language of the examples">
      <span class="quiet" aria-hidden="true">Examples in</span>
      ${Object.entries(LANGUAGES).map(
        ([language, label], at) =>
          html`<label
            ><input type="radio" name="language" value="${language}" ${at === 0 && html`checked`} />
            ${label}</label
          >`,
      )}
    </div>
    ${shown.map((operation) => renderOperation(operation))}`;
}

/** An operation with the fields of its request below it and its examples beside it. */
function renderOperation({ line, operation, body, answers, samples }: ShownOperation): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return html`<section class="operation" aria-labelledby="${operationId}">
    <h2 id="${operationId}">${summary}</h2>
    <p><code>${line}</code></p>
    <div class="beside">
      <div>
        ${renderMarkdown(description)}
        ${
          parameters.length > 0 &&
          plainTable(
            ["Parameter", "In", "Description"],
            parameters.map(({ name, in: place, required, description: about = "", schema = {} }) => [
              html`<code>${name}</code>${required === true && html`, required`}`,
              place,
              html`${renderMarkdown(about)}${limitsOf(schema)}`,
            ]),
          )
        }
        ${body ? fieldTable(body) : requestBody && html`<p>Body: ${typesIn(requestBody.content)}</p>`}
        ${plainTable(
          ["Answer", "Meaning", "Body"],
          answers.map(([status, answer]) => [
            html`<code>${status}</code>`,
            renderMarkdown(answer.description),
            typesIn(answer.content),
          ]),
        )}
        ${
          samples.length > 0 &&
          html`<p>And <a href="reference#common-answers">those of every operation</a>.</p>`
        }
      </div>
      <div class="samples">
        ${samples.length > 0 ? renderSamples(samples) : renderExamples("Request", requestBody?.content)}
        ${renderExamples("Answer", Object.values(responses)[0]?.content)}
      </div>
    </div>
  </section>`;
}

/** The request in every language; the page shows the reader's choice. */
function renderSamples(samples: readonly Sample[]): Html {
  const hasClient = samples.some(({ language }) => language === "ts");
  return html`<p class="quiet">Request</p>
    ${samples.map(
      ({ language, code }) =>
        html`<div class="language ${language}">
          <pre tabindex="0"><code>${code}</code></pre>
        </div>`,
    )}
    ${!hasClient && html`<p class="language ts">Our client has no method for this.</p>`}`;
}

function renderExamples(label: string, content: Operation["responses"][string]["content"] = {}): Html {
  return html`${Object.values(content)
    .filter(({ example }) => example !== undefined)
    .map(
      ({ example }) =>
        html`<p class="quiet">${label}</p>
          <pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`,
    )}`;
}
