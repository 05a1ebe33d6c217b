// A Worker whose replies break off in the middle, for the tests.
import { pushedText } from "../../../src/api/door/streams.ts";

export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/mark") {
      console.log("mark");
      return new Response("marked");
    }
    const { body, sink } = pushedText(() => {});
    sink.write("\n");
    sink.flushed().then(() => sink.fail(new TypeError("secret of a driver")));
    return new Response(body);
  },
};
