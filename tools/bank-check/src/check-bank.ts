import { addressesIn } from "@holdfast/acquirer";
import type { TestAccount } from "./account-file.ts";
import { createMask } from "./mask.ts";
import { answerOpenQuestions, shortly } from "./open-questions.ts";
import { PROTOCOLS, type CheckedProtocol } from "./protocols.ts";
import { startRecordingProxy, type Exchange, type RecordingProxy } from "./recording-proxy.ts";
import { walk, type Step } from "./walk.ts";

/**
 * Walks through a test account with the released adapter of payments, and reports the results. The adapter
 * records nothing itself, so a proxy on this machine records its traffic.
 * @param tell gets each line of the report.
 * @returns the steps whose result differs from the adapter's documents.
 */
export async function checkBank(account: TestAccount, tell: (line: string) => void): Promise<Step[]> {
  const mask = createMask(account);
  const { stranger: wrong, questions }: CheckedProtocol = PROTOCOLS[account.protocol];
  const proxies = new Map<string, RecordingProxy>();
  const settings = { ...account.settings };
  for (const [name, url] of addressesIn(account.settings)) {
    const proxy = proxies.get(url.origin) ?? (await startRecordingProxy(url.origin, mask));
    proxies.set(url.origin, proxy);
    settings[name] = proxy.url + (url.pathname === "/" ? "" : url.pathname) + url.search;
  }
  const connect = (secrets: Record<string, string>, others: Record<string, string> = {}) =>
    account.connector.connect(
      {
        accountId: "bank-check",
        version: 1,
        settings: account.connector.settings.parse({ ...settings, ...others }),
        businessDay: account.businessDay,
      },
      account.connector.secrets.parse(secrets),
      { connectionsMax: 2, connectTimeoutMs: 10_000, allowPlaintext: false },
    );
  const acquirer = connect(account.secrets);
  const stranger = connect({ ...account.secrets, ...wrong.secrets }, wrong.settings);
  const exchanges = () => [...proxies.values()].flatMap((proxy) => proxy.exchanges);
  try {
    tell(`# ${account.protocol}: ${[...proxies.keys()].join(", ")}`);
    const steps = await walk({ acquirer, stranger, exchanges }, account, (step) =>
      printStep(step, mask, tell),
    );
    tell("\n# Open questions\n");
    for (const { question, answer, evidence } of answerOpenQuestions(questions, steps)) {
      tell(`- ${question}\n  ${mask(answer)}`);
      if (evidence.length > 0) tell(`  evidence: ${evidence.join(", ")}`);
    }
    return steps.filter(isSurprising);
  } finally {
    await Promise.all([acquirer, stranger, ...proxies.values()].map((each) => each.close()));
  }
}

function printStep(
  { name, outcome, exchanges }: Step,
  mask: (text: string) => string,
  tell: (line: string) => void,
) {
  tell(`\n## ${name}: ${mask(shortly(outcome))}\n`);
  for (const exchange of exchanges) tell(describe(exchange));
}

function describe({ request, status, answer }: Exchange): string {
  const lines = [
    ...request.split("\n").map((line) => `> ${line}`),
    `< ${status ?? "-"}`,
    ...answer
      .slice(0, SHOWN_MAX)
      .split(/\r?\n/)
      .map((line) => `< ${line}`),
  ];
  return lines.join("\n");
}

/** A page of a bank may be long. */
const SHOWN_MAX = 4_000;

/** The behaviour of every bank of these protocols; any other is an answer. */
const EXPECTED: Partial<Record<Step["name"], readonly string[]>> = {
  wrong_password: ["credentials"],
  inquiry_of_unseen: ["not_found"],
  reversal_of_unseen: ["nothing_found"],
  pre_authorization: ["approved"],
  capture_of_a_part: ["approved"],
  sale: ["approved"],
  partial_refund: ["approved", "not_sent"],
  sale_to_cancel: ["approved"],
  cancel_of_a_sale: ["approved"],
  three_ds_enrolment: ["challenge"],
};

function isSurprising({ name, outcome }: Step): boolean {
  return EXPECTED[name]?.includes(outcome.kind) === false;
}
