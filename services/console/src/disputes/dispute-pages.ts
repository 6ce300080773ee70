import { CHARGEBACK_STATUSES, operations, type Chargeback } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { asOf } from "../ui/as-of.ts";
import { faultAt } from "../ui/field-faults.ts";
import { modeInput, selectField } from "../ui/form-fields.ts";
import { amountText, statusBadge, statusWord, testBadge, timeElement } from "../ui/format.ts";
import { merchantField, merchantName, readMerchants, type KnownMerchants } from "../ui/merchant-field.ts";
import type { Page, PageAnswer, PageContext } from "../ui/page-context.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { pageLinks, table, type Column } from "../ui/table.ts";
import { deadlineOf } from "./deadline-badge.ts";
import { addEvidence, changeDispute, decideDispute } from "./dispute-actions.ts";
import { answerDispute } from "./dispute-page.ts";
import { DISPUTE_TEXTS } from "./dispute-texts.ts";

/** Disputes with the days that are left for evidence, and each with its evidence and its outcome. */
export const disputePages: Page[] = [
  { audience: "everybody", method: "GET", path: "/disputes", answer: answerList },
  { method: "GET", path: "/disputes/:chargebackId", answer: (context) => answerDispute(context) },
  { method: "GET", path: "/disputes/:chargebackId/evidence/:evidenceId", answer: downloadEvidence },
  { method: "POST", path: "/disputes/:chargebackId/evidence", takesFile: true, answer: addEvidence },
  { method: "POST", path: "/disputes/:chargebackId/change", answer: changeDispute },
  { method: "POST", path: "/disputes/:chargebackId/outcome", answer: decideDispute },
];

const FILTERS = ["status", "merchantId", "livemode"] as const;

/** Lists open disputes, which are work, unless another status, or any, is chosen. */
async function answerList(context: PageContext): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const chosen = query.get("status") ?? "OPEN";
  const { status: _status, ...filter } = filterOf(query, FILTERS);
  const cursor = query.get("cursor") ?? undefined;
  const [page, merchants] = await Promise.all([
    readList(context, api.read(operations.listChargebacks, { query: { ...filter, status: chosen, cursor } })),
    readMerchants(context),
  ]);
  const content = html`${asOf(context, "/disputes")} ${filters(context, merchants, chosen)}
  ${table(chosen === "OPEN" ? texts.openDisputes : reader.texts.disputes, columns(context, merchants), {
    rows: page.items,
    empty: texts.noDisputes,
  })}
  ${pageLinks(reader, { path: "/disputes", text: texts.nextDisputes }, query, page.nextCursor)}`;
  const { notice, status = 200 } = page.refusal ?? {};
  const isTest = filter.livemode === "false";
  return { kind: "page", title: reader.texts.disputes, content, notice, status, isTest };
}

function filters(context: PageContext, merchants: KnownMerchants, chosen: string): Html {
  const { query, reader, session } = context;
  const { texts } = reader;
  const statuses = CHARGEBACK_STATUSES.map((value) => ({ value, text: statusWord(reader, value) }));
  return html`<form class="filters" action="/disputes">
    ${selectField({
      name: "status",
      label: texts.status,
      choices: [...statuses, { value: "", text: texts.any }],
      chosen,
      fault: faultAt(context, "status"),
    })}
    ${
      !session.staff &&
      merchantField(merchants, {
        label: texts.merchant,
        any: DISPUTE_TEXTS[reader.language].allMerchants,
        chosen: query.get("merchantId") || undefined,
        fault: faultAt(context, "merchantId"),
      })
    }
    ${modeInput(query)}
    <button>${texts.filter}</button>
  </form>`;
}

function columns(context: PageContext, merchants: KnownMerchants): Column<Chargeback>[] {
  const { reader, session } = context;
  const texts = DISPUTE_TEXTS[reader.language];
  const merchant = {
    heading: reader.texts.merchant,
    cell: ({ merchantId }: Chargeback) => merchantName(merchants, merchantId),
  };
  return [
    { heading: texts.opened, cell: ({ openedAt }) => timeElement(reader, openedAt) },
    {
      heading: reader.texts.order,
      // Operators alone work on a case: a merchant's staff get to the payment.
      cell: ({ chargebackId, paymentId, orderId, livemode }) =>
        html`<a class="order" href="${session.staff ? `/payments/${paymentId}` : `/disputes/${chargebackId}`}"
            >${orderId}</a
          >${testBadge(reader, livemode)}`,
    },
    ...(session.staff ? [] : [merchant]),
    {
      heading: reader.texts.amount,
      isNumber: true,
      cell: ({ amount, currency }) => amountText(reader, amount, currency),
    },
    { heading: texts.reasonCode, cell: ({ reasonCode }) => reasonCode ?? "–" },
    { heading: texts.deadline, cell: (dispute) => deadlineOf(context, dispute) },
    {
      heading: reader.texts.status,
      cell: ({ status, proposal }) => statusBadge(reader, proposal ? "PROPOSED" : status),
    },
  ];
}

/** The file under the name that it was uploaded with. */
async function downloadEvidence({ api, parameters }: PageContext): Promise<PageAnswer> {
  const path = { ...parameters };
  const mediaType = "application/octet-stream";
  const { evidence } = await api.read(operations.getChargeback, { path });
  const download = await api.download(operations.getChargebackEvidence, mediaType, { path });
  const file = evidence.find(({ evidenceId }) => evidenceId === path["evidenceId"]);
  return { kind: "file", mediaType, fileName: file?.fileName ?? "evidence", ...download };
}
