import { DIFFERENCE_CLASSES, operations, type settlementImportDetailSchema } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { z } from "zod";
import { signInAgain } from "../ui/action-forms.ts";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, textField } from "../ui/form-fields.ts";
import { linkToAccount, type KnownAccounts } from "../accounts/account-path.ts";
import { amountText, dayText, statusWord, timeElement } from "../ui/format.ts";
import { roleBar } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { englishText } from "./detail-text.ts";
import { foldedDetail } from "./folded-detail.ts";
import { importBadge } from "./import-badge.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";
import { unlessAway } from "../ui/unless-away.ts";

/**
 * A bank's file: its lines, the unreadable ones with the reason, and the result of the comparison; before the
 * file counts, the expected result.
 */
export const importPages: Page[] = [
  { method: "GET", path: "/settlement/imports/:importId", answer: (context) => answerImport(context) },
  { method: "POST", path: "/settlement/imports/:importId/confirm", answer: confirm },
  { method: "POST", path: "/settlement/imports/:importId/refuse", answer: refuse },
];

type Import = z.infer<typeof settlementImportDetailSchema>;

async function answerImport(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, parameters, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const [file, accounts] = await Promise.all([
    api.read(operations.getSettlement, { path: { importId: parameters["importId"]! } }),
    unlessAway(api.read(operations.listAcquirerAccounts)),
  ]);
  const query = new URLSearchParams({ accountId: file.accountId }).toString();
  const content = html`${facts(factsOf(reader, file, accounts?.items))} ${whatNext(context, file)}
    ${file.kinds && kindTable(reader, file.kinds)} ${file.state === "PROPOSED" && changeTable(reader, file)}
    ${(file.state === "TAKEN" || file.state === "PROPOSED") && lineTables(reader, file)}
    <p><a class="button" href="/settlement?${query}">${texts.toDifferences}</a></p>`;
  return {
    kind: "page",
    title: `${texts.bankFile} ${file.fileName}`,
    content,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

async function confirm(context: PageContext): Promise<PageAnswer> {
  const importId = context.parameters["importId"]!;
  return await takeAction(
    context,
    {
      action: "confirmFile",
      endpoint: operations.confirmSettlement,
      path: { importId },
      body: undefined,
      page: `/settlement/imports/${importId}`,
    },
    answerImport,
  );
}

async function refuse(context: PageContext): Promise<PageAnswer> {
  const importId = context.parameters["importId"]!;
  const reason = context.form.get("reason")?.trim() ?? "";
  return await takeAction(
    context,
    {
      action: "refuseFile",
      endpoint: operations.refuseSettlement,
      path: { importId },
      body: { reason },
      page: `/settlement/imports/${importId}`,
      needs: needsOf({ reason: reason === "" && SETTLEMENT_TEXTS[context.reader.language].needRefusal }),
    },
    answerImport,
  );
}

function factsOf(reader: Reader, file: Import, accounts: KnownAccounts) {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return [
    [texts.state, importBadge(reader, file)],
    [reader.texts.detail, foldedDetail(file.detail)],
    [texts.lines, file.lines],
    [texts.faults, file.faults],
    [texts.account, linkToAccount(accounts, file.accountId)],
    [texts.days, daysOf(reader, file)],
    [texts.mapping, [file.mapping, file.mappingVersion].filter((part) => part !== undefined).join(" ")],
    [texts.importedBy, file.importedBy],
    [texts.confirmedBy, file.confirmedBy],
    [texts.taken, timeElement(reader, file.createdAt)],
    [texts.compared, file.comparedAt === undefined ? undefined : timeElement(reader, file.comparedAt)],
    [texts.hash, file.sha256 === undefined ? undefined : html`<code>${file.sha256}</code>`],
    ["Id", html`<code>${file.importId}</code>`],
  ] as const;
}

function whatNext(context: PageContext, file: Import): Html {
  const { state } = file;
  const texts = SETTLEMENT_TEXTS[context.reader.language];
  if (state === "READING") return html`<p>${texts.readingNow}</p>`;
  if (state === "PROPOSED")
    return html`<p>${file.senderConfirms === true ? texts.proposedAlone : texts.proposedNow}</p>
      ${confirmForm(context, file)} ${refuseForm(context, file)}`;
  return state === "REFUSED" ? html`<p>${texts.refusedWhole}</p>` : html``;
}

function confirmForm(context: PageContext, file: Import): Html {
  const { importId, importedBy, fileName, lines, senderConfirms } = file;
  const { reader, session } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const page = `/settlement/imports/${importId}`;
  const why =
    roleBar(session, "operations", reader.texts) ??
    (importedBy === session.subject && senderConfirms !== true ? texts.whySent : undefined);
  if (why !== undefined) return html`<p class="quiet">${texts.confirmFile}: ${why}</p>`;
  if (!context.mayDecide) return signInAgain(context, page);
  return actionForm(context, {
    action: `${page}/confirm`,
    button: texts.confirmFile,
    question: texts.confirmFileQuestion(fileName, lines),
    look: "primary",
  });
}

function refuseForm(context: PageContext, { importId, fileName }: Import): Html {
  const { form, reader, session } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  if (roleBar(session, "operations", reader.texts) !== undefined) return html``;
  return actionForm(context, {
    action: `/settlement/imports/${importId}/refuse`,
    button: texts.refuseFile,
    fields: textField({
      name: "reason",
      label: texts.why,
      max: 1_000,
      value: form.get("reason") ?? "",
      fault: faultAt(context, "reason"),
    }),
    question: texts.refuseFileQuestion(fileName),
  });
}

/** The sums that whoever confirms the file compares with the bank's paper. */
function kindTable(reader: Reader, kinds: NonNullable<Import["kinds"]>): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  const amount = (heading: string, of: (row: (typeof kinds)[number]) => number) => ({
    heading,
    isNumber: true,
    cell: (row: (typeof kinds)[number]) => amountText(reader, of(row), row.currency),
  });
  return table(
    texts.kindsTitle,
    [
      { heading: texts.kind, cell: ({ kind }) => statusWord(reader, kind) },
      { heading: texts.lines, isNumber: true, cell: ({ lines }) => lines },
      amount(texts.gross, ({ grossAmount }) => grossAmount),
      amount(texts.fee, ({ feeAmount }) => feeAmount),
      amount(texts.net, ({ netAmount }) => netAmount),
    ],
    { rows: kinds, empty: "" },
  );
}

function daysOf(reader: Reader, { firstDay, lastDay }: Import): string | undefined {
  if (firstDay === undefined || lastDay === undefined) return undefined;
  const days = [dayText(reader, firstDay), ...(lastDay === firstDay ? [] : [dayText(reader, lastDay)])];
  return days.join(" – ");
}

/** The differences that begin and end once the file counts. */
function changeTable(reader: Reader, { accountId, differences }: Import): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  if (!differences) return html`<p class="quiet">${texts.notForeseen}</p>`;
  const { opens, resolves } = differences;
  const classes = DIFFERENCE_CLASSES.filter((kind) => (opens[kind] ?? resolves[kind]) !== undefined);
  return table(
    texts.changesTitle,
    [
      {
        heading: texts.difference,
        cell: (kind) =>
          html`<a href="/settlement?${new URLSearchParams({ class: kind, accountId }).toString()}"
            >${texts.classes[kind]}</a
          >`,
      },
      { heading: texts.begin, isNumber: true, cell: (kind) => opens[kind] ?? 0 },
      { heading: texts.end, isNumber: true, cell: (kind) => resolves[kind] ?? 0 },
    ],
    { rows: classes, empty: texts.noChanges },
  );
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
    { heading: texts.why, isWide: true, cell: ({ reason }: LineNote) => englishText(reader, reason) },
  ];
}

type LineNote = Import["notedLines"][number];
