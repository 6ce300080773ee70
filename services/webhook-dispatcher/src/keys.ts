import { type KeysProgram } from "@holdfast/postgres";
import { keyRingSetting } from "@holdfast/service-runtime";
import type { WebhooksDatabase } from "./database.ts";
import { reencryptSecrets } from "./endpoint/reencrypt-secrets.ts";
import { secretKeysInUse } from "./endpoint/secret-keys-in-use.ts";

const settings = { WEBHOOK_SECRET_KEYS: keyRingSetting() };

/** `holdfast keys webhook-dispatcher status | reencrypt`, beside a running dispatcher. */
export const webhookKeys: KeysProgram<typeof settings, WebhooksDatabase> = {
  service: "webhook-dispatcher",
  schema: "webhooks",
  settings,
  rings: ({ WEBHOOK_SECRET_KEYS }) => [secretKeysInUse(WEBHOOK_SECRET_KEYS)],
  actions: {
    reencrypt: {
      help: "encrypts every webhook secret and header under the first key, so that the others can leave",
      async run({ db, config: { WEBHOOK_SECRET_KEYS }, actor, out }) {
        const { endpoints, unreadable } = await reencryptSecrets(db, WEBHOOK_SECRET_KEYS, actor);
        out(`${endpoints} endpoints' secrets encrypted again under ${WEBHOOK_SECRET_KEYS.activeId}\n`);
        for (const endpointId of unreadable)
          out(`no key of the ring opens the secret of endpoint ${endpointId}\n`);
        return unreadable.length === 0 ? 0 : 1;
      },
    },
  },
};
