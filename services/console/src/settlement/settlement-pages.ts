import {
  DIFFERENCE_CLASSES,
  DIFFERENCE_STATES,
  operations,
  type SettlementImport,
} from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { linkToAccount, type KnownAccounts } from "../accounts/account-path.ts";
import { csvPage } from "../ui/csv-page.ts";
import { differencePages } from "./difference-page.ts";
import { differenceTable } from "./difference-table.ts";
import { faultAt } from "../ui/field-faults.ts";
import { selectField, textField } from "../ui/form-fields.ts";
import { receiveUpload, uploadForm } from "./upload-form.ts";
import { statusWord, timeElement } from "../ui/format.ts";
import { foldedDetail } from "./folded-detail.ts";
import { importBadge } from "./import-badge.ts";
import { importPages } from "./import-page.ts";
import { DIFFERENCE_FILTERS } from "./kept-filter.ts";
import { closedNotice } from "./next-difference.ts";
import { merchantField, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";
import {
  dayFields,
  readStatements,
  statementFiles,
  statementFilter,
  statementTable,
  type StatementDays,
} from "./statement-pages.ts";
import { pageLinks, table } from "../ui/table.ts";
import { unlessAway } from "../ui/unless-away.ts";

/**
 * The banks' files compared with our records: differences to work off, the files, and the balance owed to merchants.
 */
export const settlementPages: Page[] = [
  { method: "GET", path: "/settlement", answer: (context) => answerSettlement(context) },
  csvPage("/settlement/differences.csv", operations.listDifferences, {
    filter: (query) => filterOf(query, DIFFERENCE_FILTERS),
  }),
  csvPage("/settlement/imports.csv", operations.listSettlements, {
    fileName: "bank-files.csv",
    filter: (query) => filterOf(query, IMPORT_FILTERS),
  }),
  ...importPages,
  {
    method: "POST",
    path: "/settlement/upload",
    takesFile: true,
    answer: (context) => receiveUpload(context, answerSettlement),
  },
  ...differencePages,
];

const IMPORT_FILTERS = ["accountId"] as const;

async function answerSettlement(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const filter = filterOf(query, DIFFERENCE_FILTERS);
  const ofAccount = filterOf(query, IMPORT_FILTERS);
  const days = statementFilter(context);
  const cursor = (name: string) => query.get(name) ?? undefined;
  const files = api.read(operations.listSettlements, {
    query: { ...ofAccount, cursor: cursor("importsCursor") },
  });
  // A refused list of files has no mappings, and the page says why.
  const known = files.then(
    ({ mappings }) => mappings,
    () => [],
  );
  const [differences, imports, statements, merchants, accounts] = await Promise.all([
    readList(
      context,
      api.read(operations.listDifferences, { query: { ...filter, cursor: cursor("cursor") } }),
    ),
    readList(context, files),
    readStatementsIfAsked(context),
    readMerchants(context),
    unlessAway(api.read(operations.listAcquirerAccounts)),
  ]);
  const choices = { accounts: accounts?.items, mappings: await known };
  const caption = filter.state ? texts.differencesIn(statusWord(reader, filter.state)) : texts.differences;
  const own = new URLSearchParams(filter).toString();
  const content = html`${filters(context, { merchants, days, accounts: choices.accounts })}
    ${differenceTable(context, caption, { rows: differences.items, accounts: choices.accounts })}
    ${pageLinks(reader, { path: "/settlement", text: texts.nextDifferences }, query, differences.nextCursor)}
    <p><a href="/settlement/differences.csv?${own}">${reader.texts.csvOf(caption)}</a></p>
    ${importTable(reader, imports.items, choices.accounts)}
    ${pageLinks(reader, { path: "/settlement", text: texts.nextImports, name: "importsCursor" }, query, imports.nextCursor)}
    <p>
      <a href="/settlement/imports.csv?${new URLSearchParams(ofAccount).toString()}"
        >${reader.texts.csvOf(texts.imports)}</a
      >
    </p>
    ${uploadForm(context, choices)}
    ${statements ? !statements.refusal && statementTable(context, statements.items) : statementsLink(reader, days)}
    ${pageLinks(reader, { path: "/settlement", text: texts.nextStatements, name: "statementsCursor" }, query, statements?.nextCursor)}
    ${statementFiles(reader, days)}`;
  const refusal = differences.refusal ?? statements?.refusal ?? imports.refusal;
  return {
    kind: "page",
    title: reader.texts.settlement,
    content,
    notice: notice ?? refusal?.notice ?? closedNotice(context, differences.items),
    status: status ?? refusal?.status ?? 200,
  };
}

/** Reads statements only on request: they cost more than a page for differences may. */
async function readStatementsIfAsked(context: PageContext) {
  const isAsked = ["merchantId", "from", "to"].some((name) => context.query.get(name));
  return isAsked ? await readStatements(context) : undefined;
}

function statementsLink(reader: Reader, days: StatementDays): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return html`<h2>${texts.statements}</h2>
    <p>
      ${texts.chooseStatements}
      <a href="/settlement?${new URLSearchParams(days).toString()}">${texts.showStatements}</a>
    </p>`;
}

type Offered = { merchants: KnownMerchants; days: StatementDays; accounts: KnownAccounts };

function filters(context: PageContext, { merchants, days, accounts }: Offered): Html {
  const { query, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const states = DIFFERENCE_STATES.map((value) => ({ value, text: statusWord(reader, value) }));
  const classes = DIFFERENCE_CLASSES.map((value) => ({ value, text: texts.classes[value] }));
  return html`<form class="filters" action="/settlement">
    ${selectField({
      name: "state",
      label: reader.texts.status,
      choices: [{ value: "", text: texts.differences }, ...states],
      chosen: query.get("state"),
      fault: faultAt(context, "state"),
    })}
    ${selectField({
      name: "class",
      label: texts.kind,
      choices: [{ value: "", text: reader.texts.any }, ...classes],
      chosen: query.get("class"),
      fault: faultAt(context, "class"),
    })}
    ${accountField(context, accounts)}
    ${merchantField(merchants, {
      label: reader.texts.merchant,
      any: texts.allMerchants,
      chosen: days.merchantId,
      fault: faultAt(context, "merchantId"),
    })}
    ${dayFields(context, days)}
    <button>${reader.texts.filter}</button>
  </form>`;
}

/** Chosen from a list, and typed by its id while the accounts are away. */
function accountField(context: PageContext, accounts: KnownAccounts): Html {
  const { form, query, reader } = context;
  const { account: label } = SETTLEMENT_TEXTS[reader.language];
  const chosen = query.get("accountId") ?? "";
  // The form of a file has an account, too.
  const fault = form.has("accountId") ? undefined : faultAt(context, "accountId");
  if (!accounts) return textField({ name: "accountId", label, value: chosen, max: 64, fault });
  const known = accounts
    .filter(({ accountId, livemode }) => livemode || accountId === chosen)
    .map(({ accountId, name }) => ({ value: accountId, text: name }));
  const isKnown = chosen === "" || known.some(({ value }) => value === chosen);
  return selectField({
    name: "accountId",
    label,
    choices: [
      { value: "", text: reader.texts.any },
      ...(isKnown ? [] : [{ value: chosen, text: chosen }]),
      ...known,
    ],
    chosen,
    fault,
  });
}

function importTable(reader: Reader, imports: readonly SettlementImport[], accounts: KnownAccounts): Html {
  const texts = SETTLEMENT_TEXTS[reader.language];
  return table(
    texts.imports,
    [
      { heading: texts.taken, cell: ({ createdAt }) => timeElement(reader, createdAt) },
      {
        heading: texts.file,
        isWide: true,
        cell: ({ importId, fileName, mapping }) =>
          html`<a href="/settlement/imports/${importId}">${fileName}</a> (${mapping})`,
      },
      { heading: texts.account, cell: ({ accountId }) => linkToAccount(accounts, accountId) },
      { heading: texts.importedBy, cell: ({ importedBy }) => importedBy },
      {
        heading: texts.state,
        cell: (file) => html`${importBadge(reader, file)} ${foldedDetail(file.detail)}`,
      },
      { heading: texts.lines, isNumber: true, cell: ({ lines }) => lines },
      { heading: texts.faults, isNumber: true, cell: ({ faults }) => faults },
      { heading: texts.compared, cell: ({ comparedAt }) => timeElement(reader, comparedAt) },
    ],
    { rows: imports, empty: texts.noImports },
  );
}
