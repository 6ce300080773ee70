import type { AcquirerConnector } from "@holdfast/acquirer";
import { createOrderAcquirer } from "@holdfast/acquirer/kit";

import { NestpayBank } from "./nestpay-bank.ts";
import {
  NESTPAY_TERMINAL,
  nestpayCapabilities,
  nestpaySecrets,
  nestpaySettings,
  type NestpaySecrets,
  type NestpaySettings,
} from "./nestpay-settings.ts";
import { NESTPAY_CURRENCIES } from "./requests.ts";

/** The protocol that about ten Turkish banks have in common, also named EST or CC5. */
export const nestpayConnector: AcquirerConnector<NestpaySettings, NestpaySecrets> = {
  protocol: "nestpay",
  settings: nestpaySettings,
  secrets: nestpaySecrets,
  terminal: NESTPAY_TERMINAL,
  currencies: NESTPAY_CURRENCIES,
  capabilities: nestpayCapabilities,
  connect: (account, secrets, wire) => createOrderAcquirer(new NestpayBank(account, secrets, wire)),
};
