import { CARD_TYPES, DOM_INT, operations, type Merchant } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { faultAt, needsOf } from "../ui/field-faults.ts";
import { actionForm, numberField, selectField, textField } from "../ui/form-fields.ts";
import type { PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { decimalField, readAmount, readRate } from "../ui/read-number.ts";
import { rowFields, sentRows, type FormRow } from "../ui/row-fields.ts";
import { takeAction } from "../ui/take-action.ts";
import {
  anyOr,
  ofMerchant,
  seenMerchant,
  sentMerchant,
  yesOrNo,
  type RenderAgain,
} from "./merchant-forms.ts";
import { MERCHANT_TEXTS } from "./merchant-texts.ts";

type Plan = NonNullable<Merchant["commission"]>;

const RULES = {
  names: ["ruleCardType", "ruleDomInt", "ruleFrom", "ruleTo", "ruleRate", "ruleFixed"],
  place: "rulePlace",
} as const;
type RuleRow = FormRow<(typeof RULES)["names"][number]>;

/** The whole plan with its rules, each in a row that can be moved: the first one that fits a payment applies. */
export function planForm(context: PageContext, merchant: Merchant): Html {
  const { form, reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const plan = merchant.commission;
  const currency = form.get("currency") ?? plan?.currency ?? "TRY";
  const chosen = (name: "refundsCommission" | "mayExceedAmount", otherwise: boolean) =>
    form.get(name) ?? String(plan?.[name] ?? otherwise);
  const sent = sentRows(form, RULES);
  const rows = sent ?? (plan?.rules ?? []).map((rule) => rowOf(reader, rule));
  return actionForm(context, {
    action: `/merchants/${merchant.merchantId}/plan`,
    button: texts.savePlan,
    values: seenMerchant(merchant),
    fields: html`<div class="filters">
        ${numberField(context, {
          name: "ratePercent",
          label: texts.rate,
          decimal: plan?.ratePercent ?? "",
          read: (text) => readRate(reader, text),
          fault: faultAt(context, "commission.ratePercent"),
          max: 10,
        })}
        ${numberField(context, {
          name: "fixed",
          label: texts.fixed,
          decimal: plan?.fixed ?? "0",
          read: (text) => readAmount(reader, text, currency),
          fault: faultAt(context, "commission.fixed"),
          max: 20,
        })}
        ${textField({
          name: "currency",
          label: texts.currency,
          value: currency,
          max: 3,
          fault: faultAt(context, "commission.currency"),
        })}
        ${selectField({
          name: "refundsCommission",
          label: texts.refundsCommission,
          choices: yesOrNo(reader),
          chosen: chosen("refundsCommission", true),
        })}
        ${selectField({
          name: "mayExceedAmount",
          label: texts.mayExceedAmount,
          choices: yesOrNo(reader),
          chosen: chosen("mayExceedAmount", false),
        })}
      </div>
      <details ${(sent ?? []).length > 0 && html`open`}>
        <summary>${texts.planRules}</summary>
        ${rowFields(reader, rows, RULES, texts.ruleNumber, (row, index) =>
          ruleFields(context, { row, index, currency, isSent: sent !== undefined && index < rows.length }),
        )}
      </details>`,
  });
}

function ruleFields(
  context: PageContext,
  { row, index, currency, isSent }: { row: RuleRow; index: number; currency: string; isSent: boolean },
): Html {
  const { reader } = context;
  const texts = MERCHANT_TEXTS[reader.language];
  const faultOf = (field: string) =>
    isSent ? faultAt(context, `commission.rules.${index}${field && `.${field}`}`) : undefined;
  const text = (name: keyof RuleRow, label: string, fault: string | undefined) =>
    textField({ name, id: `${name}-${index}`, label, value: row[name], max: 20, fault });
  const read = (name: "ruleRate" | "ruleFixed", fault: string | undefined) =>
    isSent ? (fault ?? readRule(reader, row, currency)[name].fault) : undefined;
  return html`${selectField({
    name: "ruleCardType",
    id: `ruleCardType-${index}`,
    label: texts.cardType,
    choices: anyOr(reader, CARD_TYPES),
    chosen: row.ruleCardType,
    fault: faultOf("cardType") ?? faultOf(""),
  })}
  ${selectField({
    name: "ruleDomInt",
    id: `ruleDomInt-${index}`,
    label: texts.domInt,
    choices: anyOr(reader, DOM_INT),
    chosen: row.ruleDomInt,
    fault: faultOf("domInt"),
  })}
  ${text("ruleFrom", texts.installmentsFrom, faultOf("installmentsFrom"))}
  ${text("ruleTo", texts.installmentsTo, faultOf("installmentsTo"))}
  ${text("ruleRate", texts.rate, read("ruleRate", faultOf("ratePercent")))}
  ${text("ruleFixed", texts.fixed, read("ruleFixed", faultOf("fixed")))}`;
}

function rowOf(reader: Reader, rule: NonNullable<Plan["rules"]>[number]): RuleRow {
  return {
    ruleCardType: rule.cardType ?? "",
    ruleDomInt: rule.domInt ?? "",
    ruleFrom: `${rule.installmentsFrom ?? ""}`,
    ruleTo: `${rule.installmentsTo ?? ""}`,
    ruleRate: decimalField(reader, rule.ratePercent),
    ruleFixed: decimalField(reader, rule.fixed),
  };
}

function readRule(reader: Reader, row: RuleRow, currency: string) {
  return {
    ruleRate: readRate(reader, row.ruleRate),
    ruleFixed: readAmount(reader, row.ruleFixed || "0", currency),
  };
}

/** Replaces the plan by what the form has, so that a form that is sent twice is one change. */
export async function changePlan(context: PageContext, again: RenderAgain): Promise<PageAnswer> {
  const { form, reader } = context;
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const currency = field("currency").toUpperCase();
  const rate = readRate(reader, field("ratePercent"));
  const fixed = readAmount(reader, field("fixed"), currency);
  const rows = (sentRows(form, RULES) ?? []).map((row) => ({ row, ...readRule(reader, row, currency) }));
  const needs = [
    ...needsOf({ "commission.ratePercent": rate.fault, "commission.fixed": fixed.fault }),
    ...rows.flatMap(({ ruleRate, ruleFixed }, index) =>
      needsOf({
        [`commission.rules.${index}.ratePercent`]: ruleRate.fault,
        [`commission.rules.${index}.fixed`]: ruleFixed.fault,
      }),
    ),
  ];
  const rules = rows.map(({ row, ruleRate, ruleFixed }) => ({
    ...(row.ruleCardType && { cardType: row.ruleCardType }),
    ...(row.ruleDomInt && { domInt: row.ruleDomInt }),
    ...(row.ruleFrom && { installmentsFrom: Number(row.ruleFrom) }),
    ...(row.ruleTo && { installmentsTo: Number(row.ruleTo) }),
    ratePercent: ruleRate.value,
    fixed: ruleFixed.value,
  }));
  const commission = {
    ratePercent: rate.value,
    fixed: fixed.value,
    currency,
    refundsCommission: form.get("refundsCommission") !== "false",
    ...(form.get("mayExceedAmount") === "true" && { mayExceedAmount: true }),
    ...(rules.length > 0 && { rules }),
  };
  return await takeAction(
    context,
    {
      action: "changeMerchant",
      endpoint: operations.changeMerchant,
      ...ofMerchant(context),
      body: { ...sentMerchant(context), commission },
      needs,
    },
    again,
  );
}
