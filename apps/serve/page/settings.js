// From what somebody typed to the settings of a stream, and from a stream to the command that feeds it.

const slot = /^\d+(\.\d+)?\s*(s|m|h|d)$/;

/** "1,000" and "1e5" are numbers; what is no number stays as it is, so that the server can say what is wrong with it. */
export function numberOr(text) {
  const plain = text.trim().replace(/,(?=\d{3}\b)/g, "");
  const value = Number(plain);
  return plain === "" || Number.isNaN(value) ? text.trim() : value;
}

/** Settings for POST /v1/streams. `columns` are { name, low, high }, all texts. Throws an error with `field`. */
export function settingsOf(form) {
  const fail = (field, message) => { throw Object.assign(new Error(message), { field }); };
  const settings = { name: form.name.trim(), epsilon: numberOr(form.epsilon), delta: numberOr(form.delta), bounds: Object.create(null) };
  if (settings.name === "") fail("name", "A stream needs a name.");
  for (const column of form.columns) {
    const name = column.name.trim();
    if (name === "") fail("bounds", "Every column needs a name and the ends of its range.");
    if (Object.hasOwn(settings.bounds, name)) fail("bounds", `The column ${name} is there twice.`);
    const ends = [numberOr(column.low), numberOr(column.high)];
    if (ends.some((end) => typeof end !== "number")) fail("bounds", `The range of ${name} needs two numbers.`);
    settings.bounds[name] = ends;
  }
  const every = form.every.trim();
  if (slot.test(every)) {
    settings.every = every.replace(/\s/g, "");
    settings.steps = numberOr(form.horizon);
  } else {
    settings.every = numberOr(every);
    settings.rows = numberOr(form.horizon);
  }
  if (form.workload !== "mean") settings.workload = form.workload;
  settings.emit = [...form.emit];
  if (form.more.trim() === "") return settings;
  let more;
  try {
    more = JSON.parse(form.more);
  } catch (error) {
    fail("more", `Further settings must be a JSON object: ${error.message}`);
  }
  if (more === null || typeof more !== "object" || Array.isArray(more)) fail("more", "Further settings must be a JSON object.");
  return { ...settings, ...more };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const csvCell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The command that gives one row to a stream, with the column of a person's id where there is one. The token is left to the reader. */
export function feedCommand(origin, name, measured, bounds, person) {
  const columns = person ? [person, ...measured] : measured;
  const middle = (column) => {
    if (column === person) return "somebody";
    const ends = bounds.get(column);
    return ends ? String(Number(((ends[0] + ends[1]) / 2).toPrecision(6))) : "0";
  };
  const shown = columns.length > 20 ? null : `${columns.map(csvCell).join(",")}\\n${columns.map(middle).join(",")}\\n`;
  const rows = shown === null || /[%\\]/.test(columns.join("")) ? "" : `printf ${quoted(shown)} |\n`;
  return `${rows}curl --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: text/csv' \\
  --data-binary @${rows === "" ? "rows.csv" : "-"} ${quoted(`${origin}/v1/streams/${name}/rows`)}`;
}

/** The same settings as a command that creates the stream. */
export function createCommand(origin, settings) {
  return `curl --fail-with-body -H "Authorization: Bearer $TOKEN" ${quoted(`${origin}/v1/streams`)} \\
  -d ${quoted(JSON.stringify(settings))}`;
}
