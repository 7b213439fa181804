# Changes the manifest of tables as sed is told, and corrects its checksum: docs/internals/format.md.
text=$(sed "$2" "$1" | sed 's/,"sha256":"[0-9a-f]*"}$//')
hash=$(printf %s "$text" | { sha256sum || shasum -a 256; } 2>/dev/null | cut -c1-64)
printf '%s,"sha256":"%s"}\n' "$text" "$hash" > "$1"
