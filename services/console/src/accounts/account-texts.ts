import type { Language } from "@holdfast/html";
import { TURKISH } from "./account-texts-tr.ts";

const ENGLISH = {
  account: "Account",
  noAccounts: "There is no account at a bank yet, and no payment can be taken. Make the first one.",
  newAccount: "New account",
  newAccountAt: (protocol: string) => `New account: ${protocol}`,
  chooseProtocol: "Choose the protocol of the bank.",
  newHint:
    "The bank says what each setting is. Its host has to be one of the installation's (ACQUIRER_HOSTS). Credentials are sealed and never shown again, here neither: after a refusal they have to be entered again.",
  make: "Make account",
  name: "Name",
  protocol: "Protocol",
  currencies: "Currencies",
  currenciesHint: "ISO 4217 codes, such as TRY, EUR.",
  timeZone: "Time zone of the bank",
  timeZoneHint: "Such as Europe/Istanbul. Empty: the installation's own.",
  cutOff: "End of the bank's day",
  cutOffHint: "A time of day in that zone, such as 23:00. Empty: the installation's own.",
  lateArrival: "Lateness in seconds",
  lateArrivalHint:
    "How long after its end a call may still take effect at the bank. Empty: the installation's own.",
  connections: "Connections of a process at most",
  callsPerMinute: "Calls a minute at most",
  callsPerMinuteHint: "Of all processes together. Empty: no limit.",
  isDefault: "Default account",
  isDefaultHint: "Payments of its mode that no route leads elsewhere go there.",
  modeHint: "An account of test mode accepts payments of test keys and no others.",
  required: "required",
  optionalGroup: "optional, as a whole",
  waits: "Proposal",
  credentialsSince: "Credentials since",
  version: "Version in use",
  prices: "What installments cost",
  settings: "Settings",
  setting: "Setting",
  value: "Value",
  credentials: "Credentials",
  credential: "Credential",
  means: "Meaning",
  isSet: "Set?",
  set: "set, never shown",
  mayBeSet: "optional; not shown whether it is set",
  yes: "Yes",
  no: "No",
  proposal: "What waits for a second person",
  proposed: (who: string) => `Proposed by ${who}. A different person has to confirm it.`,
  changes: "What it changes",
  inUse: "In use",
  wouldBe: "Proposed",
  noOtherSettings: "It changes no setting.",
  newCredentials: "It brings new credentials.",
  newPrices: "It changes what installments cost:",
  confirm: "Confirm the proposal",
  confirmQuestion: (name: string) => `Put the proposal for ${name} into use?`,
  refuseHint:
    "To refuse it, tell whoever has proposed it, or propose something else: the newer proposal takes its place.",
  probe: "Probe",
  probeHint: "Calls the bank with the credentials in use, and moves nothing.",
  probeProposal: "Probe the proposal",
  probeProposalHint:
    "The credentials are used for this call alone: stored ones never go to an address that nobody has confirmed.",
  probeFailed: {
    credentials: "The bank answers, and does not know our user, password or key",
    clock: "The bank's clock is not ours in the account's time zone",
    unreachable: "The bank cannot be reached, or answers otherwise than its protocol",
  },
  probeNext: {
    credentials: "Enter the right credentials below.",
    clock: "Correct the time zone of the business day below, or this installation's clock.",
    unreachable: "Check the address, the network policy, and whether our address is on the bank's list.",
  },
  takesPayments: "Payments there",
  states: {
    ACTIVE: "Take new payments again",
    NO_NEW_PAYMENTS: "Take no new payments",
    CLOSED: "Close the account",
  },
  stateQuestions: {
    ACTIVE: (name: string) => `Send new payments to ${name} again?`,
    NO_NEW_PAYMENTS: (name: string) => `Send no new payments to ${name}?`,
    CLOSED: (name: string) => `Close ${name}? It takes no new payments.`,
  },
  stateHint: "Captures, cancellations, refunds and inquiries of its payments go on in any case.",
  replaces: "It takes the place of what waits for a second person.",
  change: "Change the account",
  save: "Save account",
  changeHint:
    "The change is a new version, which older payments' captures and refunds use, too. Another address takes the credentials again. What says which terminal it is stays the same once a payment was sent there.",
  newSecrets: "Replace the credentials by those below",
  newSecretsHint: "All of them together. Otherwise those in use stay.",
  notConfirmed: "No version is confirmed yet.",
};

export type AccountTexts = typeof ENGLISH;

/** The texts of the pages about accounts at banks. */
export const ACCOUNT_TEXTS: Record<Language, AccountTexts> = { en: ENGLISH, tr: TURKISH };
