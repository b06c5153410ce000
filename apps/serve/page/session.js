// Requests to the server this page came from, with the token of this tab.

const key = "jme-token";

/** The token lives as long as the tab, and is never part of an address. */
export const token = {
  get: () => sessionStorage.getItem(key) ?? "",
  set: (text) => sessionStorage.setItem(key, text),
  forget: () => sessionStorage.removeItem(key),
};

/** What the server refused, as its problem document says. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.status = status;
    this.field = problem.field ?? "";
    // Sending the same again would be refused again.
    this.isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super("the server does not answer");
    this.isFinal = false;
  }
}

async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    return {};
  }
}

/** A response that is fine; throws Refused or Unreachable for any other. `path` is relative to this page. */
export async function ask(path, { method = "GET", body, headers = {}, signal } = {}) {
  const fields = { ...headers };
  if (token.get() !== "") fields.Authorization = `Bearer ${token.get()}`;
  let response;
  try {
    response = await fetch(path, { method, body, headers: fields, signal, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  throw new Refused(response.status, await problemOf(response));
}

export async function askJson(path, options) {
  return (await ask(path, options)).json();
}

export const streamPath = (name) => `v1/streams/${encodeURIComponent(name)}`;
