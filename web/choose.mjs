// Which CPython a file asks for. `about` is versions.json, which build.py writes.

// The CPython that made a compiled file, by its magic number; null if depyf knows none, or it is no such file.
export function madeBy(bytes, about) {
  if (bytes.length < 4 || bytes[2] !== 13 || bytes[3] !== 10) return null;
  const magic = bytes[0] | bytes[1] << 8;
  return Object.keys(about.magic).find((version) => about.magic[version].includes(magic)) ?? null;
}

// The CPython to load: that of the file, so that the proof is by its own compiler; else the newest, or the one that
// the reader wants for what has no version, such as source.
export function choose(bytes, about, wanted = "") {
  const known = about.built;  // oldest first
  const made = madeBy(bytes, about);
  if (made) return known.includes(made) ? made : known.at(-1);
  return known.includes(wanted) ? wanted : known.at(-1);
}
