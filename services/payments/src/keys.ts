import { type KeysProgram } from "@holdfast/postgres";
import { keyRingSetting } from "@holdfast/service-runtime";
import { accountKeysInUse } from "./bank/account/account-keys-in-use.ts";
import { resealAccountSecrets } from "./bank/account/reseal-account-secrets.ts";
import type { PaymentsDatabase } from "./database.ts";
import { fingerprintKeysInUse } from "./accept/fingerprint/fingerprint-ring.ts";
import { fingerprintSettings } from "./accept/fingerprint/fingerprint-settings.ts";
import { forgetFingerprints } from "./accept/fingerprint/forget-fingerprints.ts";

const settings = {
  ...fingerprintSettings,
  CARD_SEALING_KEYS: keyRingSetting(),
  ACCOUNT_SECRET_KEYS: keyRingSetting().optional(),
};

/** `holdfast keys payments status | reencrypt | forget-fingerprints --key ID`, beside running payments. */
export const paymentsKeys: KeysProgram<typeof settings, PaymentsDatabase> = {
  service: "payments",
  schema: "payments",
  settings,
  rings: ({ CARD_SEALING_KEYS: ring, ...config }) => [
    accountKeysInUse(config.ACCOUNT_SECRET_KEYS),
    fingerprintKeysInUse(config.PAN_FINGERPRINT_KEYS, config.IDEMPOTENCY_RETENTION),
    {
      setting: "CARD_SEALING_KEYS",
      ring,
      oldKeyStays: "until no gateway seals under it and no checkout from before is open, a day at most",
    },
  ],
  actions: {
    reencrypt: {
      help: "encrypts accounts' credentials under the first key, so that the others can leave",
      async run({ db, config: { ACCOUNT_SECRET_KEYS: ring }, actor, out }) {
        if (!ring) {
          out("ACCOUNT_SECRET_KEYS is not set: there is no key to encrypt accounts' credentials under\n");
          return 2;
        }
        const { versions, unreadable } = await resealAccountSecrets(db, ring, actor);
        out(`${versions} accounts' credentials encrypted again under ${ring.activeId}\n`);
        for (const accountId of unreadable)
          out(`no key of the ring opens the credentials of account ${accountId}\n`);
        return unreadable.size === 0 ? 0 : 1;
      },
    },
    "forget-fingerprints": {
      help: "--key ID  removes what payments were fingerprinted with under a key that has left the ring",
      async run({ db, config, actor, key, out }) {
        if (key === undefined || config.PAN_FINGERPRINT_KEYS.keys.has(key)) {
          out("--key must name a key that is no longer in PAN_FINGERPRINT_KEYS\n");
          return 2;
        }
        out(`${await forgetFingerprints(db, key, actor)} fingerprints under ${key} removed\n`);
        return 0;
      },
    },
  },
};
