import { operations, PAYMENT_STATUSES, RANGE_DAYS_MAX } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultAt } from "../ui/field-faults.ts";
import { modeInput, selectField, textField } from "../ui/form-fields.ts";
import { statusWord } from "../ui/format.ts";
import { instantField, instantOf } from "../ui/instant-field.ts";
import { merchantField, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import { isTestMode, type Page, type PageAnswer, type PageContext, type Reader } from "../ui/page-context.ts";
import { paymentColumns } from "./payment-columns.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { readAmount } from "../ui/read-number.ts";
import { pageLinks, table } from "../ui/table.ts";
import { PAYMENT_TEXTS } from "./payment-texts.ts";

/** The list of payments, newest first. */
export const paymentList: Page = {
  audience: "everybody",
  method: "GET",
  path: "/payments",
  answer: answerList,
};

/** The filters of the list here; the API has more. */
const FILTERS = [
  "status",
  "transactionType",
  "orderId",
  "customerId",
  "last4",
  "merchantId",
  "livemode",
  "from",
  "to",
  "currency",
  "amountFrom",
  "amountTo",
  "accountId",
] as const;

/** The groups that figures count, which stand among the statuses and are filters of their own in the API. */
const STATUS_GROUPS = ["sold", "answered"] as const;

/** The API's filters, for a page and for a file of all rows; payments of unknown outcome have a page of their own. */
export function paymentFilter(query: URLSearchParams, reader: Reader) {
  const given = (name: string) => query.get(name) ?? undefined;
  const filter = Object.fromEntries([...FILTERS, "unresolved"].map((name) => [name, given(name)?.trim()]));
  const amount = (text: string | undefined) => amountOf(reader, text, filter["currency"] ?? "");
  const group = STATUS_GROUPS.find((each) => each === filter["status"]);
  return {
    ...filter,
    ...(group && { status: undefined, [group]: "true" }),
    from: instantOf(filter["from"]),
    to: instantOf(filter["to"]),
    amountFrom: amount(filter["amountFrom"]),
    amountTo: amount(filter["amountTo"]),
  };
}

/** In the API's notation. What could be two amounts, or is none, goes there with a comma, which it refuses. */
function amountOf(reader: Reader, text: string | undefined, currency: string): string | undefined {
  return text && (readAmount(reader, text, currency).value ?? text.replaceAll(".", ","));
}

async function answerList(context: PageContext): Promise<PageAnswer> {
  const { api, reader } = context;
  const { texts } = reader;
  const isSpanned = needsSpan(context);
  const query = isSpanned ? withLastDays(context) : context.query;
  const cursor = query.get("cursor") ?? undefined;
  const [page, merchants] = await Promise.all([
    readList(
      context,
      api.read(operations.listPaymentsOfMerchants, { query: { ...paymentFilter(query, reader), cursor } }),
    ),
    readMerchants(context),
  ]);
  const content = html`${filters({ ...context, query }, merchants)}
    ${isSpanned && html`<p>${texts.lastDays(RANGE_DAYS_MAX)}</p>`}
    ${
      // A refused list was not looked for, so nothing is said to be missing.
      !page.refusal &&
      table(texts.payments, paymentColumns(reader), { rows: page.items, empty: texts.noPayments })
    }
    ${pageLinks(reader, { path: "/payments" }, query, page.nextCursor)}
    <p><a href="/payments.csv?${query.toString()}">${texts.csv}</a></p>`;
  const { notice, status = 200 } = page.refusal ?? {};
  return { kind: "page", title: texts.payments, content, notice, status, isTest: isTestMode(query) };
}

/**
 * True for filters without an index, which need a span of time. A status has an index for one merchant, and
 * alone.
 */
function needsSpan({ query, session }: PageContext): boolean {
  const {
    orderId,
    customerId,
    last4,
    from,
    to,
    merchantId,
    status,
    livemode: _mode,
    ...compared
  } = filterOf(query, FILTERS);
  if ([orderId, customerId, last4, from, to].some((given) => given !== undefined)) return false;
  const isGroup = STATUS_GROUPS.some((group) => group === status);
  const isIndexed = !isGroup && (merchantId !== undefined || session.staff !== undefined);
  return Object.keys(compared).length > 0 || (status !== undefined && !isIndexed);
}

/** The span is in the fields and in all links, so that further pages and the file cover the same days. */
function withLastDays({ now, query }: PageContext): URLSearchParams {
  const spanned = new URLSearchParams(query);
  for (const [name, value] of Object.entries(lastDays(now))) spanned.set(name, value);
  return spanned;
}

/** The longest span that a list answers, with this second, of which something may be listed already. */
export function lastDays(now: Date): { from: string; to: string } {
  const end = Math.floor(now.getTime() / 1_000 + 1) * 1_000;
  return {
    from: new Date(end - RANGE_DAYS_MAX * DAY_MS).toISOString(),
    to: new Date(end).toISOString(),
  };
}

const DAY_MS = 86_400_000;

function filters(context: PageContext, merchants: KnownMerchants): Html {
  const { query, reader, session } = context;
  const { texts } = reader;
  const own = PAYMENT_TEXTS[reader.language];
  const field = (name: string, label: string) =>
    textField({ name, label, value: query.get(name) ?? "", max: 100, fault: faultAt(context, name) });
  const statuses = PAYMENT_STATUSES.filter((status) => status !== "PENDING_APPROVAL");
  return html`<form class="filters" action="/payments">
    ${selectField({
      name: "status",
      label: texts.status,
      choices: [
        { value: "", text: texts.any },
        ...STATUS_GROUPS.map((value) => ({ value, text: own[value] })),
        ...statuses.map((value) => ({ value, text: statusWord(reader, value) })),
      ],
      chosen: query.get("status"),
      fault: faultAt(context, STATUS_GROUPS.find((group) => group === query.get("status")) ?? "status"),
    })}
    ${selectField({
      name: "transactionType",
      label: own.type,
      choices: [
        { value: "", text: texts.any },
        { value: "PAYMENT", text: own.sale },
        { value: "PRE_AUTHORIZATION", text: own.preAuthorization },
      ],
      chosen: query.get("transactionType"),
      fault: faultAt(context, "transactionType"),
    })}
    ${field("orderId", texts.order)} ${field("customerId", own.merchantFields.customerId)}
    ${field("last4", texts.last4)}
    ${
      !session.staff &&
      merchantField(merchants, {
        label: texts.merchant,
        any: texts.any,
        chosen: query.get("merchantId") || undefined,
        fault: faultAt(context, "merchantId"),
      })
    }
    ${modeInput(query)} ${instantField("from", texts.from, query.get("from"), faultAt(context, "from"))}
    ${instantField("to", texts.to, query.get("to"), faultAt(context, "to"))}
    ${field("amountFrom", own.amountFrom)} ${field("amountTo", own.amountTo)}
    ${field("currency", own.currency)} ${query.has("accountId") && field("accountId", own.account)}
    <button>${texts.filter}</button>
  </form>`;
}
