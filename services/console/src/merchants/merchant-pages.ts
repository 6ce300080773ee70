import { operations, type Merchant } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { csvPage } from "../ui/csv-page.ts";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, textField } from "../ui/form-fields.ts";
import { amountText, rateText, statusBadge, timeElement } from "../ui/format.ts";
import { merchantPage } from "./merchant-page.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";
import { roleBar } from "../ui/offers.ts";
import type { Notice, Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { readList } from "../ui/read-list.ts";
import { secretPage } from "./secret-page.ts";
import { pageLinks, table, type Column } from "../ui/table.ts";
import { doneNotice, takeAction } from "../ui/take-action.ts";

/** The list of merchants, a new one, and each with its keys, plan, routes and webhooks. */
export const merchantPages: Page[] = [
  { method: "GET", path: "/merchants", answer: (context) => answerList(context) },
  csvPage("/merchants.csv", operations.listMerchants),
  { method: "POST", path: "/merchants/create", showsSecret: true, answer: create },
  ...merchantPage,
];

async function answerList(context: PageContext, notice?: Notice, status?: number): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const cursor = query.get("cursor") ?? undefined;
  const page = await readList(context, api.read(operations.listMerchants, { query: { cursor } }));
  const content = html`${table(reader.texts.merchants, columns(reader), {
      rows: page.items,
      empty: texts.noMerchants,
    })}
    ${pageLinks(reader, { path: "/merchants" }, query, page.nextCursor)}
    <p><a href="/merchants.csv">${reader.texts.csv}</a></p>
    ${newMerchant(context)}`;
  return {
    kind: "page",
    title: reader.texts.merchants,
    content,
    notice: notice ?? page.refusal?.notice ?? doneNotice(context),
    status: status ?? page.refusal?.status ?? 200,
  };
}

function columns(reader: Reader): Column<Merchant>[] {
  const texts = MERCHANT_TEXTS[reader.language];
  return [
    {
      heading: texts.name,
      cell: ({ merchantId, name }) => html`<a href="/merchants/${merchantId}">${name}</a>`,
    },
    { heading: reader.texts.status, cell: ({ status }) => statusBadge(reader, status) },
    { heading: texts.keys, isNumber: true, cell: (merchant) => keysInUse(merchant) },
    {
      heading: texts.plan,
      cell: ({ commission }) =>
        commission
          ? `${rateText(reader, commission.ratePercent)} + ${amountText(reader, Number(commission.fixed), commission.currency)}`
          : "–",
    },
    { heading: reader.texts.made, cell: ({ createdAt }) => timeElement(reader, createdAt) },
    { heading: "Id", cell: ({ merchantId }) => html`<code>${merchantId}</code>` },
  ];
}

function keysInUse({ credentials }: Merchant): number {
  return credentials.filter(({ revokedAt }) => revokedAt === undefined).length;
}

function newMerchant(context: PageContext): Html {
  const { form, reader, session } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const bar = roleBar(session, "onboarder", reader.texts);
  if (bar !== undefined)
    return html`<h2>${reader.texts.notNow}</h2>
      <ul class="reasons">
        <li>${texts.newMerchant}: ${bar}</li>
      </ul>`;
  const field = { name: "name", label: texts.name, max: 100, hint: texts.newMerchantHint };
  return html`<h2>${texts.newMerchant}</h2>
    ${actionForm(context, {
      action: "/merchants/create",
      button: texts.newMerchant,
      fields: textField({ ...field, value: form.get("name") ?? "", fault: faultAt(context, "name") }),
    })}`;
}

async function create(context: PageContext): Promise<PageAnswer> {
  const texts = MERCHANT_TEXTS[context.reader.language];
  const name = context.form.get("name")?.trim() ?? "";
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.createMerchant,
      path: {},
      body: { name },
      page: "/merchants",
      needs: needsOf({ name: name === "" && texts.needName }),
    },
    answerList,
    ({ merchantId, apiKey, apiSecret }) =>
      secretPage(context, `${texts.newMerchant} ${name}`, { merchantId, apiKey, secret: apiSecret }),
  );
}
