import { getSettlement, type settlementImportDetailSchema } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { z } from "zod";
import { statusBadge, timeElement } from "../ui/format.ts";
import type { Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";

/** A bank's file: the imported lines, the unreadable ones with the reason, and the result of the comparison. */
export const importPage: Page = {
  method: "GET",
  path: "/settlement/imports/:importId",
  answer: answerImport,
};

type Import = z.infer<typeof settlementImportDetailSchema>;

async function answerImport(context: PageContext): Promise<PageAnswer> {
  const { api, parameters, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const file = await api.read(getSettlement, { path: { importId: parameters["importId"]! } });
  const query = new URLSearchParams({ accountId: file.accountId }).toString();
  const content = html`${facts(factsOf(reader, file))} ${whatNext(reader, file)}
    ${file.state === "TAKEN" && lineTables(reader, file)}
    <p><a class="button" href="/settlement?${query}">${texts.toDifferences}</a></p>`;
  return {
    kind: "page",
    title: `${texts.bankFile} ${file.fileName}`,
    content,
    notice: doneNotice(context),
  };
}

function factsOf(reader: Reader, file: Import) {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return [
    [texts.state, html`${statusBadge(reader, file.state)} ${file.reason}`],
    [reader.texts.detail, file.detail],
    [texts.lines, file.lines],
    [texts.faults, file.faults],
    [texts.account, file.accountId],
    [texts.mapping, [file.mapping, file.mappingVersion].filter((part) => part !== undefined).join(" ")],
    [texts.importedBy, file.importedBy],
    [texts.taken, timeElement(reader, file.createdAt)],
    [texts.compared, file.comparedAt === undefined ? undefined : timeElement(reader, file.comparedAt)],
    [texts.hash, file.sha256 === undefined ? undefined : html`<code>${file.sha256}</code>`],
    ["Id", html`<code>${file.importId}</code>`],
  ] as const;
}

function whatNext(reader: Reader, { state }: Import): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  if (state === "READING") return html`<p>${texts.readingNow}</p>`;
  return state === "REFUSED" ? html`<p>${texts.refusedWhole}</p>` : html``;
}

function lineTables(reader: Reader, { verdicts, faultyLines, notedLines }: Import): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return html`${table(
    texts.verdictsTitle,
    [
      { heading: texts.verdict, cell: ([verdict]) => texts.verdicts[verdict] ?? verdict },
      { heading: texts.lines, isNumber: true, cell: ([, count]) => count },
    ],
    { rows: Object.entries(verdicts), empty: texts.noLines },
  )}
  ${table(texts.faultyLines, noteColumns(reader), { rows: faultyLines, empty: texts.noFaultyLines })}
  ${notedLines.length > 0 && table(texts.notedLines, noteColumns(reader), { rows: notedLines, empty: "" })}`;
}

function noteColumns(reader: Reader) {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return [
    { heading: texts.lineNumber, isNumber: true, cell: ({ line }: LineNote) => line },
    { heading: texts.why, isWide: true, cell: ({ reason }: LineNote) => reason },
  ];
}

type LineNote = Import["notedLines"][number];
