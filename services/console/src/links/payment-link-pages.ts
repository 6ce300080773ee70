import { operations, type PaymentLink } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { csvPage } from "../ui/csv-page.ts";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, numberField, selectField, textField, type TextField } from "../ui/form-fields.ts";
import { amountText, statusBadge, timeElement } from "../ui/format.ts";
import { mayMakeLinks } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { paymentLinkPage } from "./payment-link-page.ts";
import { PAYMENT_LINK_TEXTS } from "./payment-link-texts.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { readAmount } from "../ui/read-number.ts";
import { pageLinks, table, type Column } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";

/** Addresses that a merchant's buyers pay without a shop: the list, a new one, and each with its QR code. */
export const paymentLinkPages: Page[] = [
  { audience: "staff", method: "GET", path: "/payment-links", answer: (context) => answerList(context) },
  csvPage("/payment-links.csv", operations.listPaymentLinks, {
    audience: "staff",
    filter: (query) => filterOf(query, FILTERS),
  }),
  { audience: "staff", method: "POST", path: "/payment-links/create", answer: create },
  ...paymentLinkPage,
];

const FILTERS = ["livemode"] as const;

async function answerList(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = PAYMENT_LINK_TEXTS[reader.language];
  const filter = filterOf(query, FILTERS);
  const cursor = query.get("cursor") ?? undefined;
  const page = await readList(
    context,
    api.read(operations.listPaymentLinks, { query: { ...filter, cursor } }),
  );
  const mayMake = mayMakeLinks(context.session);
  const content = html`${table(texts.links, columns(reader), {
      rows: page.items,
      empty: `${texts.noLinks} ${mayMake ? texts.noLinksYet : texts.askOwner}`,
    })}
    ${pageLinks(reader, { path: "/payment-links" }, query, page.nextCursor)}
    <p>
      <a href="/payment-links.csv?${new URLSearchParams(filter).toString()}">${reader.texts.csv}</a>
    </p>
    ${mayMake && newLink(context, filter.livemode)}`;
  return {
    kind: "page",
    title: texts.links,
    content,
    isTest: filter.livemode === "false",
    notice: notice ?? page.refusal?.notice ?? doneNotice(context),
    status: status ?? page.refusal?.status ?? 200,
  };
}

function columns(reader: Reader): Column<PaymentLink>[] {
  const texts = PAYMENT_LINK_TEXTS[reader.language];
  return [
    { heading: reader.texts.made, cell: ({ createdAt }) => timeElement(reader, createdAt) },
    {
      heading: texts.order,
      cell: ({ paymentLinkId, orderId }) =>
        html`<a class="order" href="/payment-links/${paymentLinkId}">${orderId}</a>`,
    },
    { heading: texts.description, isWide: true, cell: ({ description }) => description },
    {
      heading: texts.amount,
      isNumber: true,
      cell: ({ amount, currency }) => amountText(reader, amount, currency),
    },
    { heading: reader.texts.status, cell: ({ status }) => statusBadge(reader, status) },
    { heading: texts.use, cell: ({ use }) => texts.uses[use] },
    { heading: texts.expires, cell: ({ expiresAt }) => timeElement(reader, expiresAt) },
  ];
}

/** The time for which a link is open, in seconds. */
const DURATIONS = { day: 86_400, week: 604_800, month: 2_592_000, year: 31_536_000 } as const;

function newLink(context: PageContext, livemode: string | undefined): Html {
  const { form, reader } = context;
  const texts = PAYMENT_LINK_TEXTS[reader.language];
  const value = (name: string, otherwise = "") => form.get(name) ?? otherwise;
  const field = (name: string, label: string, more: Pick<TextField, "max" | "hint" | "value">) =>
    textField({ name, label, value: value(name), fault: faultAt(context, name), ...more });
  const mode = livemode === "false" ? "?livemode=false" : "";
  return html`<h2>${texts.newLink}</h2>
    ${actionForm(context, {
      action: `/payment-links/create${mode}`,
      button: texts.createLink,
      fields: html`${field("orderId", texts.order, { max: 50 })}
      ${field("description", texts.description, { max: 200, hint: texts.descriptionHint })}
      ${numberField(context, {
        name: "amount",
        label: texts.amount,
        read: (text) => readAmount(reader, text, currencyOf(context)),
        fault: faultAt(context, "amount"),
      })}
      ${field("currency", texts.currency, { max: 3, value: value("currency", "TRY") })}
      ${selectField({
        name: "use",
        label: texts.use,
        choices: (["SINGLE", "MULTIPLE"] as const).map((use) => ({ value: use, text: texts.uses[use] })),
        chosen: value("use", "SINGLE"),
        fault: faultAt(context, "use"),
      })}
      ${selectField({
        name: "expiresInSeconds",
        label: texts.expiresIn,
        choices: (["day", "week", "month", "year"] as const).map((name) => ({
          value: String(DURATIONS[name]),
          text: texts.durations[name],
        })),
        chosen: value("expiresInSeconds", String(DURATIONS.month)),
        fault: faultAt(context, "expiresInSeconds"),
      })}`,
    })}`;
}

const currencyOf = ({ form }: PageContext) => form.get("currency")?.trim().toUpperCase() ?? "";

async function create(context: PageContext): Promise<PageAnswer> {
  const { form, query, reader } = context;
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const currency = currencyOf(context);
  const amount = readAmount(reader, field("amount"), currency);
  const { needDescription, needOrder } = PAYMENT_LINK_TEXTS[reader.language];
  return await takeAction(
    context,
    {
      action: "createLink",
      endpoint: operations.createPaymentLink,
      path: {},
      query: filterOf(query, FILTERS),
      body: {
        orderId: field("orderId"),
        description: field("description"),
        amount: Number(amount.value),
        currency,
        use: field("use"),
        expiresInSeconds: Number(field("expiresInSeconds")),
      },
      needs: needsOf({
        orderId: field("orderId") === "" && needOrder,
        description: field("description") === "" && needDescription,
        amount: amount.fault,
      }),
      page: "/payment-links",
    },
    answerList,
    ({ paymentLinkId }) => ({ kind: "redirect", to: `/payment-links/${paymentLinkId}?done=createLink` }),
  );
}
