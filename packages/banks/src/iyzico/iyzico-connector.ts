import { isSafeWebUrl } from "@holdfast/service-runtime";

import { BoundedHttpClient } from "../bounded-http-client.ts";
import type { AcquirerConnector } from "@holdfast/acquirer";
import { createIyzicoAcquirer, IYZICO_CAPABILITIES } from "./iyzico-acquirer.ts";
import { IyzicoCalls } from "./iyzico-calls.ts";
import {
  IYZICO_CURRENCIES,
  iyzicoSecrets,
  iyzicoSettings,
  type IyzicoSecrets,
  type IyzicoSettings,
} from "./iyzico-settings.ts";
import { readIyzicoNotification } from "./read-notification.ts";

/**
 * iyzico (api.iyzipay.com), under its request signature IYZWSv2. docs/acquirers.md lists the settings of an account.
 * Its capabilities are the same for every account.
 */
export const iyzicoConnector: AcquirerConnector<IyzicoSettings, IyzicoSecrets> = {
  protocol: "iyzico",
  settings: iyzicoSettings,
  secrets: iyzicoSecrets,
  currencies: IYZICO_CURRENCIES,
  capabilities: () => IYZICO_CAPABILITIES,
  /** @throws PlaintextRefusedError where cards would leave this machine without TLS. */
  connect({ settings, businessDay }, secrets, { allowPlaintext, ...wire }) {
    if (!allowPlaintext && !isSafeWebUrl(settings.url)) throw new PlaintextRefusedError(settings.url);
    const client = new BoundedHttpClient({ ...wire, url: settings.url });
    return createIyzicoAcquirer({
      settings,
      secrets,
      businessDay,
      calls: new IyzicoCalls(client, secrets),
    });
  },
  readNotification: readIyzicoNotification,
};

/** The address of an account is http://, and does not stay on this machine. */
export class PlaintextRefusedError extends Error {
  override readonly name = "PlaintextRefusedError";
  readonly code = "plaintext_refused";

  constructor(url: string) {
    super(`${url} must be https://, unless ALLOW_PLAINTEXT names acquirer`);
  }
}
