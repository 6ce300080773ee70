import * as client from "@holdfast/client";
import { useClient } from "./merchant.mjs";

await useClient(client);
