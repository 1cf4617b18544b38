# Writes C++ of the texts in TABLES to INTO/kube: the enums of words.txt with their spellings, the ids of metrics.txt, and the
# stages with the rows of stages.txt.
file(READ ${TABLES}/words.txt text)
string(REGEX REPLACE " *#[^\n]*" "" text "${text}")
string(REGEX MATCHALL "enum [A-Za-z]+\n(k[^\n]*\n)+" tables "${text}")
set(enums "")
foreach(table IN LISTS tables)
  string(REGEX REPLACE "^enum ([A-Za-z]+)\n.*" "\\1" name "${table}")
  string(REGEX REPLACE "^enum [A-Za-z]+\n" "" rows "${table}")
  string(REGEX REPLACE "(k[A-Za-z]+)[^\n]*\n" "\\1, " ids "${rows}")
  string(REGEX REPLACE "k[A-Za-z]+ *([^\n]*)\n" "\"\\1\", " spellings "${rows}")
  string(APPEND enums "enum class ${name} { ${ids}};\n\ntemplate <>\ninline constexpr auto kSpellings<${name}> = "
         "std::to_array<std::string_view>({${spellings}});\n\n")
endforeach()
file(CONFIGURE OUTPUT ${INTO}/kube/words.inc CONTENT "${enums}")

file(STRINGS ${TABLES}/metrics.txt metric_ids REGEX "^k[A-Z]")
list(TRANSFORM metric_ids REPLACE " .*" ",\n")
string(CONCAT metric_ids ${metric_ids})
file(CONFIGURE OUTPUT ${INTO}/kube/metric_ids.inc CONTENT "${metric_ids}")

file(STRINGS ${TABLES}/stages.txt stage_rows REGEX "^k[A-Z]")
list(TRANSFORM stage_rows REPLACE " *\\| *" "|")
list(TRANSFORM stage_rows REPLACE "\\|.*" ",\n" OUTPUT_VARIABLE stage_ids)
string(CONCAT stage_ids ${stage_ids})
file(CONFIGURE OUTPUT ${INTO}/kube/stage_ids.inc CONTENT "${stage_ids}")
list(TRANSFORM stage_rows REPLACE "^(.*)\\|(.*)\\|(.*)\\|(.*)\\|(.*)\\|(.*)$"
     "{Stage::\\1, \"\\2\", Stage::\\3, ExtensionPoint::\\4, \"\\5\", \"\\6\"},\n")
list(TRANSFORM stage_rows REPLACE "[A-Za-z]+::-" "std::nullopt")
string(CONCAT stage_rows ${stage_rows})
file(CONFIGURE OUTPUT ${INTO}/kube/stage_rows.inc CONTENT "${stage_rows}")
