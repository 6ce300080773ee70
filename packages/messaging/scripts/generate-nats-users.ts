import { writeFile } from "node:fs/promises";
import { deployedUsersConfig } from "../src/nats-users-config.ts";

await writeFile(new URL("../../../deploy/nats/users.conf", import.meta.url), deployedUsersConfig());
