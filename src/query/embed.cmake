# Writes OUT: a function that returns name and text of every file in FILES.
#   HEADER    what the generated file includes
#   NAMESPACE the function's namespace
#   FUNCTION  its name
set(body "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND body "const std::vector<EmbeddedFile>& ${FUNCTION}() {\n")
string(APPEND body "  static const std::vector<EmbeddedFile> all = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WLE)
  file(READ ${file} text)
  string(APPEND body "      {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
string(APPEND body "  };\n  return all;\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${body}")
