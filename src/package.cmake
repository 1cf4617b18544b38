# What `cmake --install` and the Debian package put in place: the binary, its names as a kubectl
# plugin and as what completes that, completions and the manual page (written by the binary itself).
include(GNUInstallDirs)

set(pages ${PROJECT_BINARY_DIR}/pages)
set(quiet ${CMAKE_COMMAND} -E env SCHEDLENS_CONFIG=/dev/null)
add_custom_command(
  OUTPUT ${pages}/schedlens.1.gz ${pages}/schedlens.bash ${pages}/_schedlens ${pages}/schedlens.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
  COMMAND ${quiet} $<TARGET_FILE:schedlens> completion bash > ${pages}/schedlens.bash
  COMMAND ${quiet} $<TARGET_FILE:schedlens> completion zsh > ${pages}/_schedlens
  COMMAND ${quiet} $<TARGET_FILE:schedlens> completion fish > ${pages}/schedlens.fish
  COMMAND ${quiet} $<TARGET_FILE:schedlens> man > ${pages}/schedlens.1
  COMMAND gzip -9nf ${pages}/schedlens.1
  DEPENDS schedlens VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/schedlens.1.gz)

install(TARGETS schedlens RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(name kubectl-schedlens kubectl_complete-schedlens)
  file(CREATE_LINK schedlens ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
# For plugin libraries (examples/plugin). Not below an architecture's folder: it is one header.
install(FILES ${PROJECT_SOURCE_DIR}/include/schedlens/plugin.h DESTINATION include/schedlens)
install(FILES ${PROJECT_SOURCE_DIR}/src/schedlens-config.cmake DESTINATION lib/cmake/schedlens)
install(FILES ${pages}/schedlens.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/schedlens.bash RENAME schedlens
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_schedlens DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${pages}/schedlens.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Not started by itself: what it asks stands in /etc/default/schedlens.
install(FILES ${PROJECT_SOURCE_DIR}/package/schedlens.service DESTINATION lib/systemd/system)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "schedlens maintainers <maintainers@schedlens.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS prometheus)
include(CPack)
