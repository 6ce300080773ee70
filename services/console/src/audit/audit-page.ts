import { AUDITED_SERVICES, operations, type AuditLogEntry } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { AUDIT_TEXTS } from "./audit-texts.ts";
import { nameOfId, namedValue, readNamedThings, type NamedThings } from "./named-things.ts";
import { actionText } from "../ui/action-texts.ts";
import { csvPage } from "../ui/csv-page.ts";
import { faultAt } from "../ui/field-faults.ts";
import { selectField, textField } from "../ui/form-fields.ts";
import { timeElement } from "../ui/format.ts";
import { instantField, instantOf } from "../ui/instant-field.ts";
import type { Page, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { filterOf, readList } from "../ui/read-list.ts";
import { details, pageLinks, table, type Column } from "../ui/table.ts";

/** The actions of people in every service. */
export const auditPages: Page[] = [
  { method: "GET", path: "/audit", answer: answerAudit },
  csvPage("/audit.csv", operations.getAuditLog, { filter: auditFilter }),
];

const FILTERS = ["actor", "action", "subject", "service"] as const;

/** The API's filters, for a page and for a file of all rows. */
function auditFilter(query: URLSearchParams) {
  return {
    ...filterOf(query, FILTERS),
    from: instantOf(query.get("from")),
    to: instantOf(query.get("to")),
  };
}

async function answerAudit(context: PageContext): Promise<PageAnswer> {
  const { api, query, reader } = context;
  const texts = AUDIT_TEXTS[reader.language];
  const cursor = query.get("cursor") ?? undefined;
  const reading = api.read(operations.getAuditLog, { query: { ...auditFilter(query), cursor } });
  const [page, things] = await Promise.all([readList(context, reading), readNamedThings(context)]);
  // The log has no mode.
  const names = [...FILTERS, "from", "to"] as const;
  const asked = new URLSearchParams(filterOf(query, names));
  const walked = new URLSearchParams(filterOf(query, [...names, "cursor", "cursorTrail"] as const));
  const content = html`${filters(context)}
    ${table(texts.log, columns(reader, things), { rows: page.items, empty: texts.noEntries })}
    ${pageLinks(reader, { path: "/audit" }, walked, page.nextCursor)}
    <p><a href="/audit.csv?${asked.toString()}">${reader.texts.csv}</a></p>`;
  const { refusal } = page;
  return {
    kind: "page",
    title: reader.texts.audit,
    content,
    ...(refusal && { notice: refusal.notice, status: refusal.status }),
  };
}

function filters(context: PageContext): Html {
  const { query, reader } = context;
  const texts = AUDIT_TEXTS[reader.language];
  const field = (name: "actor" | "action" | "subject", max: number) =>
    textField({
      name,
      label: texts[name],
      value: query.get(name) ?? "",
      max,
      fault: faultAt(context, name),
    });
  const time = (name: "from" | "to") =>
    instantField(name, texts[name], query.get(name), faultAt(context, name));
  const services = AUDITED_SERVICES.map((value) => ({ value, text: value }));
  return html`<form class="filters" action="/audit">
    ${field("actor", 200)} ${field("action", 100)} ${field("subject", 200)}
    ${selectField({
      name: "service",
      label: texts.serviceName,
      choices: [{ value: "", text: reader.texts.any }, ...services],
      chosen: query.get("service"),
      fault: faultAt(context, "service"),
    })}
    ${time("from")} ${time("to")}
    <button>${reader.texts.filter}</button>
  </form>`;
}

function columns(reader: Reader, things: NamedThings): Column<AuditLogEntry>[] {
  const texts = AUDIT_TEXTS[reader.language];
  return [
    { heading: reader.texts.time, cell: ({ at }) => timeElement(reader, at) },
    { heading: texts.actor, cell: ({ actor }) => html`<a href="/audit?actor=${actor}">${actor}</a>` },
    {
      heading: texts.action,
      cell: ({ action }) => html`<a href="/audit?action=${action}">${actionText(reader, action)}</a>`,
    },
    {
      heading: texts.subject,
      isWide: true,
      cell: ({ subject }) =>
        html`${nameOfId(reader, things, subject)} <a href="/audit?subject=${subject}">${subject}</a>`,
    },
    {
      heading: reader.texts.detail,
      isWide: true,
      cell: (entry) => details(reader, entry.detail, namedValue(reader, things, entry)),
    },
    { heading: texts.service, cell: ({ service, sequence }) => `${service} ${sequence}` },
  ];
}
