import { operations, type AcquirerAccount, type InstallmentPrice } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, selectField, textField } from "../ui/form-fields.ts";
import { dayText, rateText } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { decimalField, readRate } from "../ui/read-number.ts";
import { rowFields, sentRows, type FormRow } from "../ui/row-fields.ts";
import { table } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";
import { accountLink, accountPath } from "./account-path.ts";
import { INSTALLMENT_PRICE_TEXTS } from "./installment-price-texts.ts";

const PATH = "/accounts/:accountId/installment-prices";

/** The prices of installments at an account: those in use, those proposed, and the forms that propose and confirm them. */
export const installmentPricePages: Page[] = [
  { method: "GET", path: PATH, answer: (context) => answerPrices(context) },
  { method: "POST", path: `${PATH}/change`, answer: changePrices },
  { method: "POST", path: `${PATH}/confirm`, answer: confirmPrices },
];

/** The address of an account's prices. */
export function pricesPath(accountId: string): string {
  return `${accountPath(accountId)}/installment-prices`;
}

const PRICES = {
  names: ["priceLoyalty", "priceCount", "pricePayer", "priceRate", "priceFrom", "priceTo"],
  place: "pricePlace",
  isUnordered: true,
} as const;
type PriceRow = FormRow<(typeof PRICES)["names"][number]>;

const accountOf = ({ parameters }: PageContext) => ({ accountId: parameters["accountId"]! });

async function answerPrices(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, reader, session } = context;
  const texts = INSTALLMENT_PRICE_TEXTS[reader.language];
  const path = accountOf(context);
  const [account, { prices, version, proposal }] = await Promise.all([
    api.read(operations.getAcquirerAccount, { path }),
    api.read(operations.getInstallmentPrices, { path }),
  ]);
  const bar = roleBar(session, "admin", reader.texts);
  const isProposed = proposal !== undefined && account.proposal?.installmentPricesChange === true;
  const content = html`<p>${accountLink(account)}</p>
    ${priceTable(reader, texts.prices, prices)}
    ${
      isProposed &&
      html`<p>${texts.proposed(proposal.proposedBy)}</p>
        ${priceTable(reader, texts.proposedPrices, proposal.prices)}`
    }
    ${proposal && !isProposed && html`<p>${texts.otherProposal(proposal.proposedBy)}</p>`}
    ${
      isProposed &&
      bar === undefined &&
      actionForm(context, {
        action: `${pricesPath(account.accountId)}/confirm`,
        button: texts.confirm,
        values: { version: `${proposal.version}` },
        question: texts.confirmQuestion,
        look: "primary",
      })
    }
    ${
      bar === undefined
        ? priceForm(context, account, {
            prices: isProposed ? proposal.prices : prices,
            version: proposal?.version ?? version,
          })
        : barText(texts.change, { why: bar })
    }`;
  return {
    kind: "page",
    title: texts.title(account.name),
    content,
    isTest: !account.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

function priceTable(reader: Reader, caption: string, prices: readonly InstallmentPrice[]): Html {
  const texts = INSTALLMENT_PRICE_TEXTS[reader.language];
  return table(
    caption,
    [
      { heading: texts.loyalty, cell: ({ loyaltyCode }) => loyaltyCode ?? texts.noLoyalty },
      { heading: texts.count, isNumber: true, cell: ({ installmentCount }) => installmentCount },
      { heading: texts.payer, cell: ({ payer }) => texts.payers[payer] },
      { heading: texts.rate, isNumber: true, cell: ({ ratePercent }) => rateText(reader, ratePercent) },
      { heading: texts.from, cell: ({ from }) => dayText(reader, from) },
      { heading: texts.to, cell: ({ to }) => (to === undefined ? texts.noEnd : dayText(reader, to)) },
    ],
    { rows: prices, empty: texts.noPrices },
  );
}

function priceForm(
  context: PageContext,
  { accountId }: Pick<AcquirerAccount, "accountId">,
  { prices, version }: { prices: readonly InstallmentPrice[]; version: number | undefined },
): Html {
  const { form, reader } = context;
  const texts = INSTALLMENT_PRICE_TEXTS[reader.language];
  const sent = sentRows(form, PRICES);
  const rows = sent ?? prices.map((price) => rowOf(reader, price));
  return html`<details ${sent && html`open`}>
    <summary>${texts.change}</summary>
    ${actionForm(context, {
      action: `${pricesPath(accountId)}/change`,
      // Another person's change since then is not overwritten.
      values: { version: `${version ?? ""}` },
      button: texts.save,
      fields: html`<p class="quiet">${texts.hint}</p>
        ${rowFields(reader, rows, PRICES, texts.priceNumber, (row, index) => priceFields(context, row, index))}`,
    })}
  </details>`;
}

function priceFields(context: PageContext, row: PriceRow, index: number): Html {
  const { reader } = context;
  const texts = INSTALLMENT_PRICE_TEXTS[reader.language];
  const fault = (field: string) => faultAt(context, `prices.${index}.${field}`);
  const rateFault = row.priceRate === "" ? undefined : readRate(reader, row.priceRate).fault;
  const field = (name: keyof PriceRow, label: string, of: keyof InstallmentPrice, more: object = {}) =>
    textField({ name, id: `${name}-${index}`, label, value: row[name], max: 32, fault: fault(of), ...more });
  const payers = (["BUYER", "MERCHANT"] as const).map((value) => ({ value, text: texts.payers[value] }));
  return html`${field("priceLoyalty", texts.loyalty, "loyaltyCode")}
  ${field("priceCount", texts.count, "installmentCount", { inputMode: "decimal" })}
  ${selectField({
    name: "pricePayer",
    id: `pricePayer-${index}`,
    label: texts.payer,
    choices: [{ value: "", text: "–" }, ...payers],
    chosen: row.pricePayer,
    fault: fault("payer"),
  })}
  ${field("priceRate", texts.rate, "ratePercent", {
    inputMode: "decimal",
    fault: fault("ratePercent") ?? rateFault,
  })}
  ${field("priceFrom", texts.from, "from", { type: "date" })}
  ${field("priceTo", texts.to, "to", { type: "date" })}`;
}

function rowOf(reader: Reader, price: InstallmentPrice): PriceRow {
  return {
    priceLoyalty: price.loyaltyCode ?? "",
    priceCount: `${price.installmentCount}`,
    pricePayer: price.payer,
    priceRate: decimalField(reader, price.ratePercent),
    priceFrom: price.from,
    priceTo: price.to ?? "",
  };
}

/** Replaces the prices, or proposes it where another person has to confirm. */
async function changePrices(context: PageContext): Promise<PageAnswer> {
  const { reader, form } = context;
  const rows = (sentRows(form, PRICES) ?? []).map((row) => ({ row, rate: readRate(reader, row.priceRate) }));
  const needs = rows.flatMap(({ rate }, index) => needsOf({ [`prices.${index}.ratePercent`]: rate.fault }));
  const prices = rows.map(({ row, rate }) => ({
    ...(row.priceLoyalty && { loyaltyCode: row.priceLoyalty }),
    installmentCount: Number(row.priceCount),
    payer: row.pricePayer,
    ratePercent: rate.value,
    from: row.priceFrom,
    ...(row.priceTo && { to: row.priceTo }),
  }));
  const path = accountOf(context);
  return await takeAction(
    context,
    {
      action: "changePrices",
      endpoint: operations.putInstallmentPrices,
      path,
      body: { version: Number(form.get("version")), prices },
      needs,
      page: pricesPath(path.accountId),
    },
    answerPrices,
    ({ proposal }) => (proposal ? "proposePrices" : "changePrices"),
  );
}

async function confirmPrices(context: PageContext): Promise<PageAnswer> {
  const path = accountOf(context);
  return await takeAction(
    context,
    {
      action: "changePrices",
      endpoint: operations.confirmAcquirerAccount,
      path,
      body: { version: Number(context.form.get("version")) },
      page: pricesPath(path.accountId),
    },
    answerPrices,
  );
}
