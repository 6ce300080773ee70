// The same program as a Worker, which has no arguments and no output: both go by HTTP.
import * as client from "@holdfast/client";
import { useClient } from "./merchant.mjs";

// oxlint-disable-next-line import/no-default-export -- a Worker is the default export of its module
export default {
  async fetch(request) {
    return Response.json(await useClient(client, await request.json()));
  },
};
