import * as client from "@holdfast/client";
import { useClient } from "./merchant.mjs";

process.stdout.write(JSON.stringify(await useClient(client, process.argv.slice(2))));
