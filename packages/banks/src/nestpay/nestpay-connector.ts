import type { AcquirerConnector } from "@holdfast/acquirer";
import { createOrderAcquirer, NUMERIC_CURRENCIES } from "@holdfast/acquirer/kit";

import { NestpayBank } from "./nestpay-bank.ts";
import {
  NESTPAY_TERMINAL,
  nestpayCapabilities,
  nestpaySecrets,
  nestpaySettings,
  type NestpaySecrets,
  type NestpaySettings,
} from "./nestpay-settings.ts";
import { NESTPAY_CODE_LIST } from "./result-codes.ts";

/** The protocol that about ten Turkish banks have in common, also named EST or CC5. */
export const nestpayConnector: AcquirerConnector<NestpaySettings, NestpaySecrets> = {
  protocol: "nestpay",
  settings: nestpaySettings,
  secrets: nestpaySecrets,
  terminal: NESTPAY_TERMINAL,
  currencies: [...NUMERIC_CURRENCIES.keys()],
  codes: NESTPAY_CODE_LIST,
  capabilities: nestpayCapabilities,
  connect: (account, secrets, wire) => createOrderAcquirer(new NestpayBank(account, secrets, wire)),
};
