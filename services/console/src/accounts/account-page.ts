import type { AcquirerAccount, AcquirerProtocol } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { signInAgain } from "../ui/action-forms.ts";
import { actionForm, checkField } from "../ui/form-fields.ts";
import { modeText, statusBadge, timeElement } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext, Reader } from "../ui/page-context.ts";
import { seenVersion } from "../ui/seen-version.ts";
import { facts, table } from "../ui/table.ts";
import { doneNotice } from "../ui/take-action.ts";
import { attributeFields } from "./account-fields.ts";
import { accountPath } from "./account-path.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { versionValues } from "./account-version.ts";
import { pricesPath } from "./installment-price-pages.ts";
import { fieldGroup, hintText } from "./protocol-form.ts";
import { protocolFields } from "./protocol-fields.ts";
import { probeForm, proposalSection } from "./proposal-section.ts";
import { readAccount, type WholeAccount } from "./read-account.ts";

/** One account: its attributes, its proposals that wait for a second person, and the possible actions. */
export async function answerAccount(
  context: PageContext,
  notice?: Notice,
  status?: number,
): Promise<PageAnswer> {
  const { reader } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const whole = await readAccount(context);
  const { account, protocol } = whole;
  const { accountId, proposal, version } = account;
  const content = html`${facts(factsOf(reader, account))}
    <p class="buttons"><a class="button" href="${pricesPath(accountId)}">${texts.prices}</a></p>
    ${proposal && proposalSection(context, whole)}
    ${version !== undefined && html`${probeForm(context, whole)} ${stateForms(context, account)}`}
    ${settingsTable(reader, account)} ${credentialTable(reader, protocol)} ${changeSection(context, whole)}`;
  return {
    kind: "page",
    title: `${texts.account} ${account.name}`,
    content,
    isTest: !account.livemode,
    notice: notice ?? doneNotice(context),
    ...(status !== undefined && { status }),
  };
}

function factsOf(reader: Reader, account: AcquirerAccount) {
  const texts = ACCOUNT_TEXTS[reader.language];
  const { accountId, protocol, livemode, state, version, createdAt, secretsSince } = account;
  return [
    ["Id", html`<code>${accountId}</code>`],
    [texts.protocol, protocol],
    [reader.texts.mode, modeText(reader, livemode)],
    [reader.texts.status, statusBadge(reader, state)],
    [texts.version, version ?? texts.notConfirmed],
    [texts.credentialsSince, secretsSince === undefined ? undefined : timeElement(reader, secretsSince)],
    [reader.texts.made, timeElement(reader, createdAt)],
  ] as const;
}

function settingsTable(reader: Reader, account: AcquirerAccount): Html {
  const texts = ACCOUNT_TEXTS[reader.language];
  return table(
    texts.settings,
    [
      { heading: texts.setting, cell: ([name]) => name },
      { heading: texts.value, cell: ([, value]) => value, isWide: true },
    ],
    { rows: [...versionValues(reader, account)], empty: "–" },
  );
}

/** The credentials by their names: no answer of the gateway has their values. */
function credentialTable(reader: Reader, { secrets }: AcquirerProtocol): Html {
  const texts = ACCOUNT_TEXTS[reader.language];
  return table(
    texts.credentials,
    [
      { heading: texts.credential, cell: ({ path }) => html`<code>${path}</code>` },
      { heading: texts.isSet, cell: ({ isRequired }) => (isRequired ? texts.set : texts.mayBeSet) },
      {
        heading: texts.means,
        cell: ({ hint }) => (hint === undefined ? "–" : hintText(hint)),
        isWide: true,
      },
    ],
    { rows: protocolFields("secrets", secrets).fields, empty: "–" },
  );
}

const STATES = ["ACTIVE", "NO_NEW_PAYMENTS", "CLOSED"] as const;

function stateForms(context: PageContext, account: AcquirerAccount): Html {
  const { accountId, name, state, proposal } = account;
  const { reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const bar = roleBar(session, "admin", reader.texts);
  const question = (to: (typeof STATES)[number]) =>
    [texts.stateQuestions[to](name), ...(proposal ? [texts.replaces] : [])].join(" ");
  return html`<h2>${texts.takesPayments}</h2>
    <p class="quiet">${texts.stateHint}</p>
    ${
      bar === undefined
        ? STATES.filter((to) => to !== state).map((to) =>
            actionForm(context, {
              action: `${accountPath(accountId)}/state`,
              button: texts.states[to],
              values: { state: to, ...newestOf(account) },
              question: question(to),
              look: to === "ACTIVE" ? "primary" : "danger",
            }),
          )
        : barText(texts.states.NO_NEW_PAYMENTS, { why: bar })
    }`;
}

/** The form of a change, with what is proposed already, or else with what is in use. */
function changeSection(context: PageContext, { account, protocol }: WholeAccount): Html {
  const { form, mayDecide, reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const { proposal } = account;
  const bar = roleBar(session, "admin", reader.texts);
  if (bar !== undefined) return barText(texts.change, { why: bar });
  const isSent = form.has("name");
  const stored = proposal ?? account;
  const path = accountPath(account.accountId);
  // The form is hidden without a recent sign-in, so that nobody enters credentials that are then lost.
  const shown =
    mayDecide || isSent
      ? actionForm(context, {
          action: `${path}/change`,
          button: texts.save,
          values: { state: stored.state, ...newestOf(account) },
          fields: html`<p class="quiet">${texts.changeHint} ${proposal && texts.replaces}</p>
            ${attributeFields(context, { stored, isSent })}
            ${fieldGroup(context, protocolFields("settings", protocol.settings), { stored: stored.settings, isSent })}
            ${checkField({
              name: "newSecrets",
              label: texts.newSecrets,
              isChecked: isSent && form.has("newSecrets"),
              hint: texts.newSecretsHint,
            })}
            ${fieldGroup(context, protocolFields("secrets", protocol.secrets), { isSent, isSecret: true })}`,
        })
      : signInAgain(context, path);
  return html`<details ${isSent && html`open`}>
    <summary>${texts.change}</summary>
    ${shown}
  </details>`;
}

/** The newest version, proposed or in use, from which a change is made. */
function newestOf({ proposal, version = 0 }: AcquirerAccount): Record<string, string> {
  return seenVersion(proposal?.version ?? version);
}
