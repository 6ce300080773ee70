import { html, type Html } from "@holdfast/html";
import { actionForm } from "../ui/form-fields.ts";
import { timeElement } from "../ui/format.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { PageContext } from "../ui/page-context.ts";
import { table } from "../ui/table.ts";
import { accountPath } from "./account-path.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";
import { changesOf } from "./account-version.ts";
import { pricesPath } from "./installment-price-pages.ts";
import { fieldGroup } from "./protocol-form.ts";
import { protocolFields } from "./protocol-fields.ts";
import type { WholeAccount } from "./read-account.ts";

/** The proposal that waits for a second person, with what it changes, and the form that confirms it. */
export function proposalSection(context: PageContext, whole: WholeAccount): Html {
  const { reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const { account } = whole;
  const { accountId, name, proposal } = account;
  if (!proposal) return html``;
  const bar = roleBar(session, "admin", reader.texts);
  return html`<h2 id="proposal">${texts.proposal}</h2>
    <p>${texts.proposed(proposal.proposedBy)} ${timeElement(reader, proposal.proposedAt)}</p>
    ${table(
      texts.changes,
      [
        { heading: texts.setting, cell: (change) => change.name },
        { heading: texts.inUse, cell: ({ before }) => before, isWide: true },
        { heading: texts.wouldBe, cell: ({ after }) => after, isWide: true },
      ],
      { rows: changesOf(reader, account), empty: texts.noOtherSettings },
    )}
    ${proposal.secretsChange && html`<p>${texts.newCredentials}</p>`}
    ${
      proposal.installmentPricesChange &&
      html`<p>${texts.newPrices} <a href="${pricesPath(accountId)}">${texts.prices}</a></p>`
    }
    ${probeProposalForm(context, whole)}
    ${
      bar === undefined
        ? html`${actionForm(context, {
              action: `${accountPath(accountId)}/confirm`,
              button: texts.confirm,
              values: { version: `${proposal.version}` },
              question: texts.confirmQuestion(name),
              look: "primary",
            })}
            <p class="quiet">${texts.refuseHint}</p>`
        : barText(texts.confirm, { why: bar })
    }`;
}

/** A call to the bank with the credentials in use. */
export function probeForm(context: PageContext, { account }: WholeAccount): Html {
  const { reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const bar = roleBar(session, "operations", reader.texts);
  if (bar !== undefined) return barText(texts.probe, { why: bar });
  return actionForm(context, {
    action: `${accountPath(account.accountId)}/probe`,
    button: texts.probe,
    fields: html`<p class="quiet">${texts.probeHint}</p>`,
  });
}

/** A form that probes the proposed settings, with credentials that the person enters. */
function probeProposalForm(context: PageContext, { account, protocol }: WholeAccount): Html {
  const { form, reader, session } = context;
  const texts = ACCOUNT_TEXTS[reader.language];
  const { accountId, proposal } = account;
  if (!proposal || roleBar(session, "operations", reader.texts) !== undefined) return html``;
  const isSent = form.has("proposalVersion");
  const secrets = protocolFields("secrets", protocol.secrets);
  return html`<details ${isSent && html`open`}>
    <summary>${texts.probeProposal}</summary>
    ${actionForm(context, {
      action: `${accountPath(accountId)}/probe`,
      button: texts.probeProposal,
      values: { proposalVersion: `${proposal.version}` },
      fields: html`<p class="quiet">${texts.probeProposalHint}</p>
        ${fieldGroup(context, secrets, { isSent, isSecret: true, idPrefix: "probe-" })}`,
    })}
  </details>`;
}
